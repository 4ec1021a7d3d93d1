import type { Texts } from '../../kit/ui/texts.ts';
import type { Asked } from '../links/payment-link.ts';

/** The page of a payment link. An isolate loads it with the first one. */
export interface LinkMessages {
  readonly amount: string;
  readonly amountHint: (least: string) => string;
  readonly amountRange: (least: string, most: string) => string;
  readonly otherAmount: string;
  readonly chooseItems: string;
  readonly quantityOf: (item: string) => string;
  readonly asked: Readonly<Record<Asked, string>>;
  readonly optional: string;
  readonly goOn: string;
  readonly nextStep: string;
  readonly missing: string;
  readonly invalidAmount: string;
  readonly bothAmounts: string;
  readonly tooSmall: (least: string | null) => string;
  readonly tooLarge: (most: string | null) => string;
  readonly nothingChosen: string;
  readonly invalidQuantity: string;
  readonly tooMany: (most: string) => string;
  readonly tooLong: (most: string) => string;
  readonly invalidPhone: string;
  readonly invalidEmail: string;
  readonly invalidText: string;
  readonly old: string;
  readonly changed: string;
  readonly wait: string;
  readonly full: string;
  readonly unavailable: string;
  readonly off: string;
  readonly over: string;
  readonly sold_out: string;
  readonly reserved: string;
  readonly reservedHint: string;
  readonly askSeller: (merchant: string) => string;
  readonly thanks: string;
  readonly paidTo: (amount: string, merchant: string) => string;
  readonly receipt: string;
  readonly payAgain: string;
}

export const LINK_TEXTS: Texts<LinkMessages> = {
  en: {
    amount: 'Amount',
    amountHint: (least) => `At least ${least}.`,
    amountRange: (least, most) => `From ${least} to ${most}.`,
    otherAmount: 'Another amount',
    chooseItems: 'What would you like?',
    quantityOf: (item) => `Quantity: ${item}`,
    asked: { name: 'Your name', phone: 'Your phone number', email: 'Your e-mail', note: 'A note' },
    optional: 'optional',
    goOn: 'Continue',
    nextStep: 'Next, you choose how to pay.',
    missing: 'Please fill this in.',
    invalidAmount: 'Type an amount such as 250 or 99.50.',
    bothAmounts: 'You chose an amount and typed another one. Choose one of them.',
    tooSmall: (least) => (least === null ? 'This is too little.' : `The least is ${least}.`),
    tooLarge: (most) => (most === null ? 'This is too much.' : `The most is ${most}.`),
    nothingChosen: 'Choose at least one.',
    invalidQuantity: 'Type a whole number such as 2.',
    tooMany: (most) => `At most ${most}.`,
    tooLong: (most) => `At most ${most} characters.`,
    invalidPhone: 'Type an Ethiopian mobile number such as 0911\u00a0234\u00a0567.',
    invalidEmail: 'Type an e-mail address such as name@example.com.',
    invalidText: 'This contains a character that we cannot read.',
    old: 'This page was open for a long time. Please check what you typed and continue.',
    changed: 'The seller has changed this page. Please check it and continue.',
    wait: 'Many people are paying right now. Wait ten seconds, then continue.',
    full: 'Too many people are paying right now. Nothing was charged. Please try again in a few minutes.',
    unavailable: 'This cannot be paid right now. Nothing was charged. Please try again later.',
    off: 'This page no longer takes payments',
    over: 'The time to pay here is over',
    sold_out: 'All places are taken',
    reserved: 'All places are taken at the moment',
    reservedHint:
      'Others are paying right now. If one of them does not finish, a place is free again in some minutes: then open this page again.',
    askSeller: (merchant) => `If you still want to pay, please ask ${merchant}.`,
    thanks: 'Thank you',
    paidTo: (amount, merchant) => `You paid ${amount} to ${merchant}.`,
    receipt: 'Open the receipt',
    payAgain: 'Back to the page',
  },
  am: {
    amount: 'የገንዘብ መጠን',
    amountHint: (least) => `ቢያንስ ${least}።`,
    amountRange: (least, most) => `ከ${least} እስከ ${most}።`,
    otherAmount: 'ሌላ መጠን',
    chooseItems: 'ምን ይፈልጋሉ?',
    quantityOf: (item) => `ብዛት፦ ${item}`,
    asked: { name: 'ስምዎ', phone: 'የሞባይል ቁጥርዎ', email: 'ኢሜይልዎ', note: 'ማስታወሻ' },
    optional: 'ግዴታ አይደለም',
    goOn: 'ይቀጥሉ',
    nextStep: 'ቀጥሎ የመክፈያ ዘዴ ይመርጣሉ።',
    missing: 'እባክዎ ይህን ይሙሉ።',
    invalidAmount: 'እንደ 250 ወይም 99.50 ያለ መጠን ያስገቡ።',
    bothAmounts: 'አንድ መጠን መርጠው ሌላ ጽፈዋል። ከሁለቱ አንዱን ይምረጡ።',
    tooSmall: (least) => (least === null ? 'ይህ በጣም ትንሽ ነው።' : `ዝቅተኛው ${least} ነው።`),
    tooLarge: (most) => (most === null ? 'ይህ በጣም ብዙ ነው።' : `ከፍተኛው ${most} ነው።`),
    nothingChosen: 'ቢያንስ አንድ ይምረጡ።',
    invalidQuantity: 'እንደ 2 ያለ ሙሉ ቁጥር ያስገቡ።',
    tooMany: (most) => `ቢበዛ ${most}።`,
    tooLong: (most) => `ቢበዛ ${most} ፊደላት።`,
    invalidPhone: 'እንደ 0911\u00a0234\u00a0567 ያለ የኢትዮጵያ ሞባይል ቁጥር ያስገቡ።',
    invalidEmail: 'እንደ name@example.com ያለ የኢሜይል አድራሻ ያስገቡ።',
    invalidText: 'ልናነበው የማንችለው ፊደል አለው።',
    old: 'ይህ ገጽ ለረጅም ጊዜ ክፍት ነበር። እባክዎ ያስገቡትን አረጋግጠው ይቀጥሉ።',
    changed: 'ሻጩ ይህን ገጽ ቀይሯል። እባክዎ አረጋግጠው ይቀጥሉ።',
    wait: 'አሁን ብዙ ሰዎች እየከፈሉ ነው። አሥር ሰከንድ ጠብቀው ይቀጥሉ።',
    full: 'አሁን በጣም ብዙ ሰዎች እየከፈሉ ነው። ምንም አልተከፈለም። እባክዎ ከጥቂት ደቂቃዎች በኋላ እንደገና ይሞክሩ።',
    unavailable: 'አሁን እዚህ መክፈል አይቻልም። ምንም አልተከፈለም። እባክዎ ቆይተው እንደገና ይሞክሩ።',
    off: 'ይህ ገጽ ከአሁን በኋላ ክፍያ አይቀበልም',
    over: 'እዚህ የመክፈያ ጊዜው አልፏል',
    sold_out: 'ሁሉም ቦታዎች ተይዘዋል',
    reserved: 'ለጊዜው ሁሉም ቦታዎች ተይዘዋል',
    reservedHint:
      'አሁን ሌሎች እየከፈሉ ነው። ከእነሱ አንዱ ካልጨረሰ ከጥቂት ደቂቃዎች በኋላ ቦታ ይኖራል፤ ያን ጊዜ ይህን ገጽ እንደገና ይክፈቱ።',
    askSeller: (merchant) => `አሁንም መክፈል ከፈለጉ እባክዎ ${merchant}ን ይጠይቁ።`,
    thanks: 'እናመሰግናለን',
    paidTo: (amount, merchant) => `ለ${merchant} ${amount} ከፍለዋል።`,
    receipt: 'ደረሰኙን ይመልከቱ',
    payAgain: 'ወደ ገጹ ይመለሱ',
  },
  om: {
    amount: 'Hamma maallaqaa',
    amountHint: (least) => `Yoo xiqqaate ${least}.`,
    amountRange: (least, most) => `${least} hanga ${most}.`,
    otherAmount: 'Hamma biraa',
    chooseItems: 'Maal barbaaddu?',
    quantityOf: (item) => `Baay’ina: ${item}`,
    asked: {
      name: 'Maqaa keessan',
      phone: 'Lakkoofsa bilbilaa keessan',
      email: 'Imeelii keessan',
      note: 'Yaadannoo',
    },
    optional: 'dirqama miti',
    goOn: 'Itti fufaa',
    nextStep: 'Itti aansuun mala kaffaltii filattu.',
    missing: 'Maaloo kana guutaa.',
    invalidAmount: 'Hamma akka 250 yookaan 99.50 galchaa.',
    bothAmounts: 'Hamma tokko filattanii kan biraa barreessitan. Lamaan keessaa tokko filadhaa.',
    tooSmall: (least) =>
      least === null ? 'Kun baay’ee xiqqaa dha.' : `Inni xiqqaan ${least} dha.`,
    tooLarge: (most) => (most === null ? 'Kun baay’ee guddaa dha.' : `Inni guddaan ${most} dha.`),
    nothingChosen: 'Yoo xiqqaate tokko filadhaa.',
    invalidQuantity: 'Lakkoofsa guutuu akka 2 galchaa.',
    tooMany: (most) => `Yoo baay’ate ${most}.`,
    tooLong: (most) => `Yoo baay’ate qubee ${most}.`,
    invalidPhone: 'Lakkoofsa moobaayilaa Itoophiyaa akka 0911\u00a0234\u00a0567 galchaa.',
    invalidEmail: 'Teessoo imeelii akka name@example.com galchaa.',
    invalidText: 'Qubee dubbisuu hin dandeenye qaba.',
    old: 'Fuulli kun yeroo dheeraa banaa ture. Maaloo waan galchitan ilaalaatii itti fufaa.',
    changed: 'Gurguraan fuula kana jijjiireera. Maaloo ilaalaatii itti fufaa.',
    wait: 'Amma namoonni baay’een kaffalaa jiru. Sekoondii kudhan eegaatii itti fufaa.',
    full: 'Amma namoonni baay’ee hedduun kaffalaa jiru. Homaa hin kaffalamne. Maaloo daqiiqaa muraasa booda irra deebi’aa yaalaa.',
    unavailable: 'Amma asitti kaffaluun hin danda’amu. Homaa hin kaffalamne. Maaloo booda yaalaa.',
    off: 'Fuulli kun kaffaltii fudhachuu dhaabeera',
    over: 'Yeroon asitti kaffalan darbeera',
    sold_out: 'Iddoon hundi qabameera',
    reserved: 'Yeroof iddoon hundi qabameera',
    reservedHint:
      'Amma namoonni biraa kaffalaa jiru. Isaan keessaa tokko yoo hin xumurre daqiiqaa muraasa booda iddoon ni argama; yeroo sana fuula kana irra deebi’aa banaa.',
    askSeller: (merchant) => `Ammas kaffaluu yoo barbaaddan maaloo ${merchant} gaafadhaa.`,
    thanks: 'Galatoomaa',
    paidTo: (amount, merchant) => `${merchant}f ${amount} kaffaltaniittu.`,
    receipt: 'Nagahee ilaalaa',
    payAgain: 'Gara fuulichaatti deebi’aa',
  },
  ti: {
    amount: 'መጠን ገንዘብ',
    amountHint: (least) => `እንተወሓደ ${least}።`,
    amountRange: (least, most) => `ካብ ${least} ክሳብ ${most}።`,
    otherAmount: 'ካልእ መጠን',
    chooseItems: 'እንታይ ትደልዩ?',
    quantityOf: (item) => `ብዝሒ፦ ${item}`,
    asked: { name: 'ስምኩም', phone: 'ቁፅሪ ሞባይልኩም', email: 'ኢመይልኩም', note: 'መዘኻኸሪ' },
    optional: 'ግዴታ ኣይኮነን',
    goOn: 'ቀፅሉ',
    nextStep: 'ቀፂልኩም ኣገባብ ክፍሊት ትመርፁ።',
    missing: 'በጃኹም እዚ ምልእዎ።',
    invalidAmount: 'ከም 250 ወይ 99.50 ዝበለ መጠን ኣእትዉ።',
    bothAmounts: 'ሓደ መጠን መሪፅኩም ካልእ ፅሒፍኩም። ካብ ክልቲኦም ሓደ ምረፁ።',
    tooSmall: (least) => (least === null ? 'እዚ ኣዝዩ ውሑድ እዩ።' : `እቲ ዝወሓደ ${least} እዩ።`),
    tooLarge: (most) => (most === null ? 'እዚ ኣዝዩ ብዙሕ እዩ።' : `እቲ ዝበዝሐ ${most} እዩ።`),
    nothingChosen: 'እንተወሓደ ሓደ ምረፁ።',
    invalidQuantity: 'ከም 2 ዝበለ ምሉእ ቁፅሪ ኣእትዉ።',
    tooMany: (most) => `እንተበዝሐ ${most}።`,
    tooLong: (most) => `እንተበዝሐ ${most} ፊደላት።`,
    invalidPhone: 'ከም 0911\u00a0234\u00a0567 ዝበለ ናይ ኢትዮጵያ ቁፅሪ ሞባይል ኣእትዉ።',
    invalidEmail: 'ከም name@example.com ዝበለ ኣድራሻ ኢመይል ኣእትዉ።',
    invalidText: 'ከነንብቦ ዘይንኽእል ፊደል ኣለዎ።',
    old: 'እዚ ገፅ ንነዊሕ ግዜ ክፉት ነይሩ። በጃኹም ዘእተኹምዎ ርኢኹም ቀፅሉ።',
    changed: 'እቲ ሸያጢ ነዚ ገፅ ቀይርዎ ኣሎ። በጃኹም ርኢኹም ቀፅሉ።',
    wait: 'ሕጂ ብዙሓት ሰባት ይኸፍሉ ኣለዉ። ዓሰርተ ሰከንድ ተፀቢኹም ቀፅሉ።',
    full: 'ሕጂ ኣዝዮም ብዙሓት ሰባት ይኸፍሉ ኣለዉ። ዝተኸፈለ የለን። በጃኹም ድሕሪ ቁሩብ ደቓይቕ ደጊምኩም ፈትኑ።',
    unavailable: 'ሕጂ ኣብዚ ምኽፋል ኣይከኣልን። ዝተኸፈለ የለን። በጃኹም ፀኒሕኩም ፈትኑ።',
    off: 'እዚ ገፅ ድሕሪ ሕጂ ክፍሊት ኣይቅበልን',
    over: 'ኣብዚ ናይ ምኽፋል ግዜ ሓሊፉ',
    sold_out: 'ኩሉ ቦታታት ተታሒዙ',
    reserved: 'ንግዚኡ ኩሉ ቦታታት ተታሒዙ',
    reservedHint:
      'ሕጂ ካልኦት ይኸፍሉ ኣለዉ። ሓደ ካብኦም እንተዘይወዲኡ ድሕሪ ቁሩብ ደቓይቕ ቦታ ክርከብ እዩ፤ ሽዑ እዚ ገፅ ደጊምኩም ክፈትዎ።',
    askSeller: (merchant) => `ሕጂ’ውን ክትከፍሉ እንተደሊኹም በጃኹም ን${merchant} ሕተቱ።`,
    thanks: 'የቐንየልና',
    paidTo: (amount, merchant) => `ን${merchant} ${amount} ከፊልኩም።`,
    receipt: 'ቅብሊት ርአዩ',
    payAgain: 'ናብቲ ገፅ ተመለሱ',
  },
};
