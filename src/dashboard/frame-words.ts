import { words } from './words.ts';

/** What stands on every page, and on those about nothing in particular. */
export const frameWords = words(
  {
    locale: 'en-ET',
    product: 'Kefel',
    skipToContent: 'Skip to content',
    navigation: 'Dashboard',
    languages: 'Language',
    environments: 'Environment',
    environment: { sandbox: 'Sandbox', production: 'Production' },
    sandboxBanner: 'Sandbox: no money moves here',
    suspendedBanner:
      'This merchant is suspended: new payments are refused and nothing can be changed. Ask the operator.',
    nav: {
      payments: 'Payments',
      webhooks: 'Webhooks',
      keys: 'API keys',
      methods: 'Methods',
      branding: 'Branding',
      team: 'Team',
      audit: 'Audit log',
      account: 'My account',
    },
    role: { owner: 'Owner', developer: 'Developer', viewer: 'Viewer' },
    signOut: 'Sign out',
    signIn: 'Sign in',
    back: 'Back',
    copy: 'Copy',
    copied: 'Copied',
    cancel: 'Cancel',
    older: 'Older',
    newer: 'Newer',
    none: 'None',
    problemTitle: 'There is a problem',
    needsScript: 'This step needs JavaScript, because passkeys do.',
    notices: {
      not_found: {
        title: 'There is nothing here',
        text: 'The address is wrong, or what it names is not yours to see.',
      },
      not_allowed: {
        title: 'Your role does not allow this',
        text: 'Ask an owner of this merchant to do it, or to change your role.',
      },
      suspended: {
        title: 'This merchant is suspended',
        text: 'Nothing can be changed until the operator lifts the suspension. Nothing was changed.',
      },
      bad_form: {
        title: 'This form is out of date',
        text: 'Go back, reload the page and try again. Nothing was changed.',
      },
      too_large: {
        title: 'This is too large',
        text: 'What you sent has too many bytes. A picture may have at most 16 KiB: make it smaller, then try again. Nothing was changed.',
      },
      signed_out: {
        title: 'You are signed out',
        text: 'Your session has ended. Nothing was changed. Sign in and try again.',
      },
      busy: {
        title: 'Too many requests',
        text: 'Wait a moment, then try again. Nothing was changed.',
      },
      error: {
        title: 'Something went wrong on our side',
        text: 'Try again in a moment. If you were changing something, look first whether it was changed.',
      },
    },
  },
  {
    locale: 'am-ET',
    product: 'ክፈል',
    skipToContent: 'ወደ ይዘቱ ይሂዱ',
    navigation: 'ዳሽቦርድ',
    languages: 'ቋንቋ',
    environments: 'አካባቢ',
    environment: { sandbox: 'መሞከሪያ', production: 'እውነተኛ' },
    sandboxBanner: 'መሞከሪያ፦ እዚህ ገንዘብ አይንቀሳቀስም',
    suspendedBanner: 'ይህ ነጋዴ ታግዷል፦ አዲስ ክፍያ አይፈቀድም፣ ምንም ነገር መለወጥ አይቻልም። አስተዳዳሪውን ይጠይቁ።',
    nav: {
      payments: 'ክፍያዎች',
      webhooks: 'ዌብሁክ',
      keys: 'የኤፒአይ ቁልፎች',
      methods: 'የክፍያ መንገዶች',
      branding: 'መለያ ገጽታ',
      team: 'ቡድን',
      audit: 'የሥራ መዝገብ',
      account: 'የእኔ መለያ',
    },
    role: { owner: 'ባለቤት', developer: 'ገንቢ', viewer: 'ተመልካች' },
    signOut: 'ውጣ',
    signIn: 'ግባ',
    back: 'ተመለስ',
    copy: 'ቅዳ',
    copied: 'ተቀድቷል',
    cancel: 'ተወው',
    older: 'የቀድሞ',
    newer: 'አዲስ',
    none: 'የለም',
    problemTitle: 'ችግር አለ',
    needsScript: 'ይህ ደረጃ ጃቫስክሪፕት ያስፈልገዋል፤ ፓስኪ ያለ እሱ አይሠራም።',
    notices: {
      not_found: {
        title: 'እዚህ ምንም የለም',
        text: 'አድራሻው ስህተት ነው፣ ወይም የሚያሳየው ነገር የእርስዎ አይደለም።',
      },
      not_allowed: {
        title: 'ሚናዎ ይህን አይፈቅድም',
        text: 'የዚህ ነጋዴ ባለቤት እንዲሠራው ወይም ሚናዎን እንዲለውጥ ይጠይቁ።',
      },
      suspended: {
        title: 'ይህ ነጋዴ ታግዷል',
        text: 'አስተዳዳሪው እገዳውን እስኪያነሳ ድረስ ምንም መለወጥ አይቻልም። ምንም አልተለወጠም።',
      },
      bad_form: {
        title: 'ይህ ቅጽ ጊዜው አልፎበታል',
        text: 'ተመልሰው ገጹን እንደገና ይጫኑና ይሞክሩ። ምንም አልተለወጠም።',
      },
      too_large: {
        title: 'ይህ በጣም ትልቅ ነው',
        text: 'የላኩት መጠን በጣም ትልቅ ነው። ሥዕል ቢበዛ 16 KiB ሊሆን ይችላል፤ አሳንሰው እንደገና ይሞክሩ። ምንም አልተለወጠም።',
      },
      signed_out: {
        title: 'ወጥተዋል',
        text: 'የመግቢያ ጊዜዎ አብቅቷል። ምንም አልተለወጠም። ገብተው እንደገና ይሞክሩ።',
      },
      busy: {
        title: 'በጣም ብዙ ጥያቄ',
        text: 'ትንሽ ቆይተው እንደገና ይሞክሩ። ምንም አልተለወጠም።',
      },
      error: {
        title: 'በእኛ በኩል ችግር ተፈጥሯል',
        text: 'ከትንሽ ጊዜ በኋላ እንደገና ይሞክሩ። የሚለውጡት ነገር ከነበረ መጀመሪያ መለወጡን ያረጋግጡ።',
      },
    },
  },
);

export type NoticeKind = keyof (typeof frameWords)['en']['notices'];
