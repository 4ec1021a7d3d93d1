import { addCopyButtons } from './copy.ts';
import { startSearch } from './search.ts';
import { startTabs } from './tabs.ts';

startTabs();
addCopyButtons();
startSearch();
