import { startContents } from './contents.ts';
import { addCopyButtons } from './copy.ts';
import { startSearch } from './search.ts';
import { startTabs } from './tabs.ts';

startTabs();
startContents();
addCopyButtons();
startSearch();
