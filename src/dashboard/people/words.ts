import { words } from '../words.ts';

/** The ways in: signing in, joining, coming back with a new passkey. */
export const wayInWords = words(
  {
    whatPasskeysAre:
      'A passkey is a key that your phone, computer or security key keeps for you; your finger, your face or your PIN opens it. There is no password to remember or to lose.',
    signIn: {
      title: 'Sign in',
      button: 'Sign in with a passkey',
      otherDevice:
        'Your passkey is on your phone? Choose another device when the browser asks, and scan the code that it shows.',
      lost: 'You lost your passkey? Ask an owner of the merchant, or the operator of Kefel, for a link.',
    },
    join: {
      title: (merchant: string) => `Join ${merchant}`,
      lead: (inviter: string) => `${inviter} invites you to this dashboard.`,
      nameHint: 'As the others of your team know you.',
      button: 'Create a passkey',
    },
    recover: {
      title: (merchant: string) => `A new passkey for ${merchant}`,
      lead: (inviter: string) =>
        `${inviter} has made this link for you, so that you can get in again. It ends your sessions on all devices, and the passkeys you had open nothing any more.`,
      nameHint: 'You are already a member under this name.',
    },
    facts: { merchant: 'Merchant', role: 'Your role', expires: 'The link works until' },
    roleAndMeaning: (role: string, meaning: string) => `${role}: ${meaning}`,
    roleMeans: {
      owner: 'may do everything, people included',
      developer: 'sees everything, manages keys and webhooks',
      viewer: 'sees payments, changes nothing',
    },
    yourName: 'Your name',
    passkeyName: 'Name of the passkey',
    passkeyNameHint: 'By which you recognise the device that keeps it.',
    ended: {
      title: 'This link opens nothing any more',
      text: 'It was used, revoked, or is too old. Ask whoever gave it to you for a new one. If you have joined with it, sign in.',
    },
    refused:
      'That did not work, and nothing was changed. Try again; if it fails again, ask an owner of the merchant for a new link.',
    badName: 'A name has 1 to 100 characters.',
    tooMany: 'You have 20 passkeys already. Remove one first.',
    script: {
      working: 'Waiting for your passkey',
      unsupported:
        'This browser has no passkeys. Use a current version of Chrome, Safari, Edge or Firefox, on an address that begins with https.',
      cancelled: 'It was cancelled, or took too long. Nothing was changed; try again.',
      known: 'This device already keeps a passkey of yours.',
      failed: 'The passkey could not be used. Nothing was changed; try again.',
      network: 'Kefel could not be reached. Check your connection and try again.',
      busy: 'Too many attempts. Wait a minute, then try again.',
    },
  },
  {
    whatPasskeysAre:
      'ፓስኪ ስልክዎ፣ ኮምፒውተርዎ ወይም የደኅንነት ቁልፍዎ የሚያስቀምጥልዎ ቁልፍ ነው፤ በጣትዎ፣ በፊትዎ ወይም በፒንዎ ይከፈታል። የሚያስታውሱት ወይም የሚጠፋ የይለፍ ቃል የለም።',
    signIn: {
      title: 'ይግቡ',
      button: 'በፓስኪ ይግቡ',
      otherDevice: 'ፓስኪዎ ያለው በስልክዎ ላይ ነው? አሳሹ ሲጠይቅ ሌላ መሣሪያ ይምረጡና የሚያሳየውን ኮድ ይቃኙ።',
      lost: 'ፓስኪዎ ጠፋ? የነጋዴውን ባለቤት ወይም የክፈልን አስተዳዳሪ አዲስ ሊንክ ይጠይቁ።',
    },
    join: {
      title: (merchant: string) => `${merchant}ን ይቀላቀሉ`,
      lead: (inviter: string) => `${inviter} ወደዚህ ዳሽቦርድ ጋብዘዎታል።`,
      nameHint: 'ባልደረቦችዎ የሚያውቁዎት ስም።',
      button: 'ፓስኪ ይፍጠሩ',
    },
    recover: {
      title: (merchant: string) => `ለ${merchant} አዲስ ፓስኪ`,
      lead: (inviter: string) =>
        `እንደገና እንዲገቡ ${inviter} ይህን ሊንክ አዘጋጅቶልዎታል። በሁሉም መሣሪያዎች የገቡባቸውን ያበቃል፣ የነበሩዎት ፓስኪዎችም ከእንግዲህ አይሠሩም።`,
      nameHint: 'በዚህ ስም አስቀድመው አባል ነዎት።',
    },
    facts: { merchant: 'ነጋዴ', role: 'የእርስዎ ሚና', expires: 'ሊንኩ የሚሠራው እስከ' },
    roleAndMeaning: (role: string, meaning: string) => `${role}፦ ${meaning}`,
    roleMeans: {
      owner: 'ሰዎችን ጨምሮ ሁሉንም ማድረግ ይችላል',
      developer: 'ሁሉንም ያያል፣ ቁልፎችንና ዌብሁኮችን ያስተዳድራል',
      viewer: 'ክፍያዎችን ያያል፣ ምንም አይለውጥም',
    },
    yourName: 'ስምዎ',
    passkeyName: 'የፓስኪው ስም',
    passkeyNameHint: 'የሚያስቀምጠውን መሣሪያ የሚለዩበት ስም።',
    ended: {
      title: 'ይህ ሊንክ ከእንግዲህ አይሠራም',
      text: 'ጥቅም ላይ ውሏል፣ ተሰርዟል ወይም ጊዜው አልፏል። የሰጠዎትን ሰው አዲስ ሊንክ ይጠይቁ። በእሱ አስቀድመው ከተቀላቀሉ ይግቡ።',
    },
    refused: 'አልተሳካም፣ ምንም አልተለወጠም። እንደገና ይሞክሩ፤ እንደገና ካልተሳካ የነጋዴውን ባለቤት አዲስ ሊንክ ይጠይቁ።',
    badName: 'ስም ከ1 እስከ 100 ፊደላት ይኖሩታል።',
    tooMany: '20 ፓስኪዎች አሉዎት። መጀመሪያ አንዱን ያስወግዱ።',
    script: {
      working: 'ፓስኪዎን በመጠበቅ ላይ',
      unsupported:
        'ይህ አሳሽ ፓስኪ የለውም። አዲስ የChrome፣ Safari፣ Edge ወይም Firefox ስሪት በhttps በሚጀምር አድራሻ ይጠቀሙ።',
      cancelled: 'ተሰርዟል ወይም ብዙ ጊዜ ወስዷል። ምንም አልተለወጠም፤ እንደገና ይሞክሩ።',
      known: 'ይህ መሣሪያ አስቀድሞ የእርስዎ ፓስኪ አለው።',
      failed: 'ፓስኪውን መጠቀም አልተቻለም። ምንም አልተለወጠም፤ እንደገና ይሞክሩ።',
      network: 'ክፈልን ማግኘት አልተቻለም። ግንኙነትዎን አረጋግጠው እንደገና ይሞክሩ።',
      busy: 'በጣም ብዙ ሙከራ። አንድ ደቂቃ ቆይተው እንደገና ይሞክሩ።',
    },
  },
);
