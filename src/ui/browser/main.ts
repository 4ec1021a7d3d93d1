import { colorPickers } from './color.ts';
import { copyButtons } from './copy.ts';
import { sentOnce } from './once.ts';
import { partsInSight } from './parts.ts';
import { passkeyForms } from './passkeys.ts';
import { questions } from './questions.ts';

/** The dashboard's script. Without it, everything works except passkeys. */
colorPickers();
copyButtons();
partsInSight();
passkeyForms();
questions();
sentOnce();
