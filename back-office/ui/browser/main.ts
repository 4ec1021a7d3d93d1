import { colorPickers } from './color.ts';
import { copyButtons, printButtons } from './copy.ts';
import { keptFold, livePage } from './live.ts';
import { logoFields } from './logo.ts';
import { sentOnce } from './once.ts';
import { partsInSight } from './parts.ts';
import { passkeyForms } from './passkeys.ts';
import { refundPreview } from './preview.ts';
import { questions } from './questions.ts';
import { searchShortcut } from './shortcut.ts';
import { till } from './till.ts';

/** The dashboard's script. Without it, everything works except passkeys. */
colorPickers();
copyButtons();
keptFold();
livePage();
logoFields();
partsInSight();
printButtons();
refundPreview();
searchShortcut();
// In this order: if the member cancels a form, it neither asks for a passkey nor is sent.
questions();
passkeyForms();
sentOnce();
till();
