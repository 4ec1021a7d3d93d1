import { LOGO_BYTES_MAX } from '../../merchants/branding.ts';
import { LOGOS_MAX } from '../../merchants/logo.ts';
import { words } from '../words.ts';

const LOGO_KIB_MAX = LOGO_BYTES_MAX / 1024;

export const brandingWords = words(
  {
    title: 'Branding',
    lead: 'Your colour and logo on the pages where customers pay, in the sandbox and in production. A change is for new payments within 10 seconds; payments that exist already keep the look that they were created with.',
    previewTitle: 'As customers see it',
    previewNote:
      'Text on your colour is black or white, whichever can be read. In the dark, pages are dark and your colour stays.',
    sampleButton: 'Pay',
    logoAlt: 'Your logo',
    colourTitle: 'Colour',
    colour: 'Colour',
    colourHint: 'A number sign and six digits or letters up to F, such as #0b6b4b.',
    picker: 'Choose a colour',
    saveColour: 'Save colour',
    removeColour: 'Remove colour',
    logoTitle: 'Logo',
    logo: 'Picture',
    logoHint: `PNG, WebP or JPEG with at most ${LOGO_KIB_MAX} KiB. It is shown as a square of 48 pixels; 192 pixels look sharp on every phone.`,
    saveLogo: 'Upload logo',
    removeLogo: 'Remove logo',
    done: {
      colour: 'The colour was saved.',
      colour_removed: 'The colour was removed: new payments have the usual one.',
      logo: 'The logo was saved.',
      logo_removed: 'The logo was removed: new payments have your first letter.',
    },
    problem: {
      bad_colour: 'Write the colour as a number sign and six hexadecimal digits, such as #0b6b4b.',
      missing: 'Choose a picture first.',
      too_large: `The picture has more than ${LOGO_KIB_MAX} KiB, too much for customers on slow phones. Make it smaller.`,
      unknown_format:
        'This is no PNG, WebP or JPEG picture. SVG is not taken: it can carry a program.',
      incomplete: 'The picture is cut short, or has something behind its end. Save it once more.',
      too_many: `There have been ${LOGOS_MAX} logos, and payments keep theirs, so no more are taken. Choose an earlier one, or ask the operator.`,
    },
  },
  {
    title: 'መለያ ገጽታ',
    lead: 'ደንበኞች በሚከፍሉባቸው ገጾች ላይ የሚታዩ የእርስዎ ቀለምና አርማ፤ በመሞከሪያም በእውነተኛም። ለውጡ በ10 ሰከንድ ውስጥ ለአዲስ ክፍያዎች ይተገበራል፤ ቀድሞ የተፈጠሩ ክፍያዎች የተፈጠሩበትን መልክ ይዘው ይቆያሉ።',
    previewTitle: 'ደንበኞች እንደሚያዩት',
    previewNote: 'በቀለምዎ ላይ የሚጻፈው ጽሑፍ ይነበብ ዘንድ ጥቁር ወይም ነጭ ይሆናል። በጨለማ ገጽታ ገጾቹ ይጨልማሉ፣ ቀለምዎ ግን አይለወጥም።',
    sampleButton: 'ክፈል',
    logoAlt: 'የእርስዎ አርማ',
    colourTitle: 'ቀለም',
    colour: 'ቀለም',
    colourHint: 'የ# ምልክትና ስድስት አኃዞች ወይም እስከ F ያሉ ፊደላት፣ ለምሳሌ #0b6b4b።',
    picker: 'ቀለም ይምረጡ',
    saveColour: 'ቀለሙን አስቀምጥ',
    removeColour: 'ቀለሙን አስወግድ',
    logoTitle: 'አርማ',
    logo: 'ሥዕል',
    logoHint: `PNG፣ WebP ወይም JPEG፣ ቢበዛ ${LOGO_KIB_MAX} KiB። 48 ፒክስል ካሬ ሆኖ ይታያል፤ 192 ፒክስል በሁሉም ስልክ ላይ ጥርት ብሎ ይታያል።`,
    saveLogo: 'አርማውን ስቀል',
    removeLogo: 'አርማውን አስወግድ',
    done: {
      colour: 'ቀለሙ ተቀምጧል።',
      colour_removed: 'ቀለሙ ተወግዷል፤ አዲስ ክፍያዎች የተለመደውን ቀለም ይይዛሉ።',
      logo: 'አርማው ተቀምጧል።',
      logo_removed: 'አርማው ተወግዷል፤ አዲስ ክፍያዎች የስምዎን የመጀመሪያ ፊደል ያሳያሉ።',
    },
    problem: {
      bad_colour: 'ቀለሙን በ# ምልክትና በስድስት አሥራስድስትዮሽ አኃዞች ይጻፉ፣ ለምሳሌ #0b6b4b።',
      missing: 'መጀመሪያ ሥዕል ይምረጡ።',
      too_large: `ሥዕሉ ከ${LOGO_KIB_MAX} KiB ይበልጣል፤ ዝግ ያለ ስልክ ላላቸው ደንበኞች ይከብዳል። ያሳንሱት።`,
      unknown_format: 'ይህ PNG፣ WebP ወይም JPEG ሥዕል አይደለም። SVG አይፈቀድም፤ ፕሮግራም ሊይዝ ይችላል።',
      incomplete: 'ሥዕሉ የተቆረጠ ነው፣ ወይም ከመጨረሻው በኋላ ሌላ ነገር አለው። እንደገና ያስቀምጡት።',
      too_many: `${LOGOS_MAX} አርማዎች ተሰቅለዋል፤ ክፍያዎች የራሳቸውን ይዘው ስለሚቆዩ ከዚህ በላይ አይፈቀድም። ከቀድሞዎቹ አንዱን ይምረጡ ወይም አስተዳዳሪውን ይጠይቁ።`,
    },
  },
);
