import { colorPickers } from './color.ts';
import { copyButtons } from './copy.ts';
import { sentOnce } from './once.ts';
import { partsInSight } from './parts.ts';
import { passkeyForms } from './passkeys.ts';
import { questions } from './questions.ts';

/** Everything that a page of the dashboard can do with JavaScript. Without it all but passkeys works. */
colorPickers();
copyButtons();
partsInSight();
passkeyForms();
questions();
sentOnce();
