import type { CheckoutMessages } from './messages.ts';
import { AMHARIC_METHOD_NAMES, METHOD_HINTS } from './methods.ts';

/** The Amharic texts of customers' pages; `en.ts` explains them. */

export const MONTHS = 'ጃንዋሪ ፌብሩዋሪ ማርች ኤፕሪል ሜይ ጁን ጁላይ ኦገስት ሴፕቴምበር ኦክቶበር ኖቬምበር ዲሴምበር'.split(' ');

export const ETHIOPIC_MONTHS = 'መስከረም ጥቅምት ኅዳር ታኅሣሥ ጥር የካቲት መጋቢት ሚያዝያ ግንቦት ሰኔ ሐምሌ ነሐሴ ጳጉሜን'.split(
  ' ',
);

/** Texts that several pages contain. */
export const TOO_LITTLE_MONEY = 'በሂሳቡ ውስጥ በቂ ገንዘብ አልነበረም።';
export const WRONG_PIN = 'የሚስጥር ቁጥሩ (PIN) ትክክል አልነበረም።';

/** The names of night, morning, day and evening: six hours each, from midnight on. */
const DAY_PARTS = ['ከሌሊቱ', 'ከጠዋቱ', 'ከቀኑ', 'ከምሽቱ'];

/** 14:30 as 8:30 of the day, because the Ethiopian clock counts from six. */
export function ethiopianClock(time: string): string {
  const [hour, ...rest] = time.split(':');
  const clock = [(Number(hour) + 6) % 12 || 12, ...rest].join(':');
  return `${DAY_PARTS[Math.floor(Number(hour) / 6)]} ${clock}`;
}

/** The same, followed by the 24-hour time, so that no reader mistakes one clock for the other. */
function ethiopianTime(time: string): string {
  return `${ethiopianClock(time)} ሰዓት (${time} EAT)`;
}

/**
 * Amharic, in the polite form. "Open" (ክፈት) and "pay" (ክፈል) look alike. Where one could be read
 * as the other, "open" uses another verb.
 */
export const checkout: CheckoutMessages = {
  locale: 'am-ET',
  languages: 'ቋንቋ',

  dateTime: ({ day, month, year }, ethiopic, time) =>
    `${day} ${MONTHS[month - 1]} ${year} (${ethiopic.day} ${ETHIOPIC_MONTHS[ethiopic.month - 1]} ${ethiopic.year} ዓ.ም.)፣ ${ethiopianTime(time)}`,
  // Without its first syllable, "from", which the sentences bring.
  timeOfDay: (time) => `${ethiopianClock(time).slice(1)} ሰዓት`,

  testBanner: 'የሙከራ ክፍያ — ገንዘብ አይተላለፍም',
  payTo: 'ክፍያ ለ፦',
  poweredBy: 'ደህንነቱ በKefel የተጠበቀ',
  keepLinkPrivate: 'ይህ ገጽ ለእርስዎ ብቻ ነው። ሊንኩን ለማንም አያጋሩ።',

  methodName: AMHARIC_METHOD_NAMES,
  methodHint: METHOD_HINTS.am,

  details: 'የክፍያው ዝርዝር',
  detailsPaid: 'የከፈሉት ክፍያ ዝርዝር',
  quantityTimes: (quantity, price) => `${quantity} × ${price}`,
  quantity: (quantity) => `ብዛት፦ ${quantity}`,
  subtotal: 'ንዑስ ድምር',
  commission: 'የአገልግሎት ክፍያ',
  commissionByMethod: 'እንደ መክፈያ ዘዴው ይለያያል',
  plusCommission: 'እንደ መክፈያ ዘዴው የሚለያይ የአገልግሎት ክፍያ ይጨመርበታል',
  total: 'ጠቅላላ',
  feeIncluded: (fee) => `የአገልግሎት ክፍያ ${fee} ጨምሮ`,
  feeOf: (fee) => `+${fee} ለአገልግሎት`,
  noFee: 'ያለ ተጨማሪ ክፍያ',

  choosePageTitle: (amount, merchant) => `ለ${merchant} ${amount} ይክፈሉ`,
  chooseMethod: 'በምን መክፈል ይፈልጋሉ?',
  phoneLabel: 'የሞባይል ቁጥር',
  phoneHint: (method) => `የ${method} ሂሳብዎ የተመዘገበበት ቁጥር፣ ለምሳሌ 0911\u00a0234\u00a0567።`,
  phoneHintMpesa: 'የM\u2011PESA ቁጥሮች በ07 ይጀምራሉ፣ ለምሳሌ 0712\u00a0345\u00a0678።',
  phoneFixed: 'ለዚህ ክፍያ ይህን ቁጥር የወሰነው ድርጅቱ ነው።',
  lastNumber: (phone) => `የመጨረሻው ሙከራዎ በ${phone} ነበር። ቁጥሩ የተሳሳተ ከሆነ እዚህ ያስተካክሉት።`,
  pay: 'ይቀጥሉ',
  payAmount: (amount) => `${amount} ይክፈሉ`,
  tryMethodAgain: (method) => `በ${method} እንደገና ይሞክሩ`,
  working: 'ትንሽ ይጠብቁ…',
  payBefore: (time) => `እባክዎ ከ${time} በፊት ይክፈሉ።`,
  timeLeftToPay: (time) => `ለመክፈል የቀረው ጊዜ፦ ${time}`,
  reportedUntil: (method, time) => `ካረጋገጡ በኋላ ${method} ውጤቱን እስከ ${time} ድረስ ሊያሳውቀን ይችላል።`,
  timeLeftToConfirm: (time) => `ለማረጋገጥ የቀረው ጊዜ፦ ${time}`,
  fiveMinutesLeft: '5 ደቂቃ ቀርቷል።',
  oneMinuteLeft: '1 ደቂቃ ቀርቷል።',
  lastAttempt: 'ይህ የመጨረሻ ሙከራዎ ነው።',
  anotherTry: (method) =>
    `${method} ይህ ጥያቄ እንዳልተከፈለ እንዳሳወቀን ሌላ ቁጥር ማስገባት ወይም ሌላ የመክፈያ ዘዴ መምረጥ ይችላሉ።`,
  earliestTry: (time) =>
    `ይህም ጥያቄው በዚያ ስልክ ላይ ውድቅ እንደተደረገ ሊሆን ይችላል። ምላሽ ካላገኘ ጊዜው የሚያበቃው ከ${time} ነው።`,
  startAgain: (merchant) => `ይህ ክፍያ ሲያበቃ ወደ ${merchant} ተመልሰው በትክክለኛው ቁጥር እንደ አዲስ ይጀምሩ።`,

  leaveTitle: 'ሳይከፍሉ መውጣት ይፈልጋሉ?',
  leaveLead: (merchant) => `ከወጡ ይህ ክፍያ ይቋረጣል። በኋላ ለመክፈል ወደ ${merchant} ተመልሰው እንደ አዲስ ይጀምሩ።`,
  giveUp: (merchant) => `ሰርዘው ወደ ${merchant} ይመለሱ`,
  giveUpNowhere: 'ይህን ክፍያ ይሰርዙ',
  keepPaying: 'ክፍያውን ይቀጥሉ',
  returnTo: (merchant) => `ወደ ${merchant} ይመለሱ`,

  qrTitle: 'በስልክዎ ይቀጥሉ',
  qrLead: 'ይህን ኮድ በስልክዎ ካሜራ ስካን ያድርጉ።',
  qrAlternative: 'የዚህ ገጽ ሊንክ ያለበት QR ኮድ',

  notAvailableNow: 'አሁን አይገኝም',
  notWorkingNow: 'በአሁኑ ጊዜ አይሠራም',
  problemTitle: 'እባክዎ ምርጫዎን እንደገና ይመልከቱ',
  problem: {
    method_missing: 'በምን እንደሚከፍሉ ይምረጡ።',
    phone_missing: 'የሞባይል ቁጥርዎን ያስገቡ፣ ለምሳሌ {example}። ክፍያውን የሚያረጋግጡት በዚያ ስልክ ነው።',
    phone_invalid: 'የኢትዮጵያ የሞባይል ቁጥር ሙሉውን ያስገቡ፣ ለምሳሌ {example}።',
    phone_not_taken:
      'ይህ ዘዴ ይህን ቁጥር አይቀበልም። በዘዴው አካውንት ያለውን ቁጥር ያስገቡ፣ ለምሳሌ 0911\u00a0234\u00a0567፣ ወይም ሌላ ዘዴ ይምረጡ።',
    method_unavailable: 'ይህ የመክፈያ ዘዴ ለጊዜው አገልግሎት አይሰጥም። ቆየት ብለው እንደገና ይሞክሩ ወይም ሌላ የመክፈያ ዘዴ ይምረጡ።',
    too_many_prompts: 'ወደዚህ የሞባይል ቁጥር በጣም ብዙ ጥያቄዎች ተልከዋል። እባክዎ አንድ ደቂቃ ጠብቀው እንደገና ይሞክሩ።',
  },

  leftTitle: (method) => `በ${method} ከፍለዋል?`,
  leftLead: 'እንግዲያው ደግመው አይክፈሉ፤ ይህ ገጽ ያሳየዎታል።',
  failureTitle: 'ገና አልከፈሉም',
  failure: {
    declined: 'ክፍያው ውድቅ ተደርጓል። እንደገና መሞከር ወይም ሌላ የመክፈያ ዘዴ መምረጥ ይችላሉ።',
    timed_out: 'ክፍያው በተሰጠው ጊዜ ውስጥ አልተረጋገጠም። እንደገና መሞከር ወይም ሌላ የመክፈያ ዘዴ መምረጥ ይችላሉ።',
    rail_unavailable: 'ይህ የመክፈያ ዘዴ ለጊዜው አገልግሎት አይሰጥም። ቆየት ብለው እንደገና ይሞክሩ ወይም ሌላ የመክፈያ ዘዴ ይምረጡ።',
    insufficient_funds: 'በሂሳብዎ ውስጥ ለዚህ ክፍያ በቂ ገንዘብ የለም። ገንዘብ ያስገቡ ወይም ሌላ የመክፈያ ዘዴ ይምረጡ።',
    canceled_by_customer: 'ክፍያው ተሰርዟል። እንደገና መሞከር ወይም ሌላ የመክፈያ ዘዴ መምረጥ ይችላሉ።',
    wrong_pin: 'የሚስጥር ቁጥሩ (PIN) ትክክል አይደለም። እንደገና መሞከር ወይም ሌላ የመክፈያ ዘዴ መምረጥ ይችላሉ።',
    misconfigured: 'ይህ የመክፈያ ዘዴ ለጊዜው አገልግሎት አይሰጥም። ቆየት ብለው እንደገና ይሞክሩ ወይም ሌላ የመክፈያ ዘዴ ይምረጡ።',
  },

  redirectTitle: (method) => `በ${method} ይቀጥሉ`,
  redirectLead: (method) => `የ${method} ክፍያዎ እየጠበቀዎት ነው። ሲጨርሱ ወደዚህ ገጽ ይመለሳሉ።`,
  redirectWait: (method) => `ከ${method} ጋር እያገናኘንዎት ነው።`,
  continueTo: (method) => `ወደ ${method} ይቀጥሉ`,
  anotherMethod: 'ሌላ የመክፈያ ዘዴ ይምረጡ',
  abandonWarning: 'እስካሁን ካልከፈሉ ብቻ ይምረጡ።',

  pushTitle: 'በስልክዎ ላይ ያረጋግጡ',
  pushLead: (method, phone) => `${method} ወደ ${phone} የክፍያ ጥያቄ ልኳል።`,
  pushLeadNoPhone: (method) => `ክፍያዎ በ${method} በሂደት ላይ ነው።`,
  pushSteps: [
    'በስልክዎ የደረሰዎትን መልእክት ይክፈቱ።',
    (amount) => `መጠኑ ${amount} መሆኑን አይተው የሚስጥር ቁጥርዎን (PIN) ያስገቡ።`,
    'ይህን ገጽ አይዝጉት፤ ውጤቱን በራሱ ያሳያል።',
  ],
  pushNothingTitle: 'መልእክት አልደረሰዎትም ወይስ ቁጥሩ የተሳሳተ ነው?',
  pushNothing: 'መልእክቱ አንድ ደቂቃ ሊወስድ ይችላል። ስልኩ ክፍት መሆኑንና ኔትወርክ እንዳለው ይመልከቱ። ለሁለተኛ ጊዜ አይክፈሉ።',
  wrongNumber: (phone) =>
    `${phone} የእርስዎ ቁጥር አይደለም? እንግዲያው ጥያቄው የደረሰው ለሌላ ሰው ነው፤ ያ ሰው መክፈል የሚችለው ከራሱ ሂሳብ ብቻ ነው። ከእርስዎ ሂሳብ ምንም አይቀነስም።`,
  pushSimulator: 'የሙከራ ስልኩን ይክፈቱ',
  unresolvedTitle: 'ክፍያዎን እያጣራን ነው',
  unresolvedLead: (method) =>
    `${method} ውጤቱን ገና አላሳወቀንም። እባክዎ ደግመው አይክፈሉ፤ ውጤቱን እንዳወቅን ይህ ገጽ ያሳይዎታል።`,
  waiting: 'ማረጋገጫ እየጠበቅን ነው…',
  checkNow: 'አሁን ያጣሩ',
  claimTitle: 'ከፍያለሁ',
  claimSent: 'የላኩልን የግብይት ቁጥር',
  noConnection: 'የኢንተርኔት ግንኙነት የለም። ግንኙነቱ እንደተመለሰ ይህ ገጽ በራሱ ይቀጥላል።',
  notSentOffline: 'የኢንተርኔት ግንኙነት ስለሌለዎት ምንም አልተላከም። ግንኙነቱ ሲመለስ እንደገና ይሞክሩ።',

  paidTitle: 'ክፍያዎ ተሳክቷል',
  alreadyPaidTitle: 'ይህ ክፍያ ቀደም ሲል ተከፍሏል',
  alreadyPaidLead: 'እንደገና መክፈል አያስፈልግዎትም።',
  returningIn: (merchant, seconds) => `ከ${seconds} ሰከንድ በኋላ ወደ ${merchant} ይመለሳሉ።`,
  returningSoon: (merchant) => `ከጥቂት ሰከንዶች በኋላ ወደ ${merchant} ይመለሳሉ።`,
  stayHere: 'በዚህ ገጽ ላይ ይቆዩ',
  reference: 'የማጣቀሻ ቁጥር',
  orderId: 'የትዕዛዝ ቁጥር',
  paidWith: 'የተከፈለበት ዘዴ',
  method: 'የመክፈያ ዘዴ',
  merchant: 'ድርጅት',
  amount: 'የገንዘብ መጠን',
  paidAt: 'ቀንና ሰዓት',
  help: 'እርዳታ',
  serviceStatus: 'የአገልግሎት ሁኔታ',

  failedTitle: 'ክፍያው አልተጠናቀቀም',
  failedReason: {
    declined: 'ክፍያው ውድቅ ተደርጓል።',
    abandoned: 'ሳይከፍሉ ይህን ክፍያ አቋርጠዋል።',
    timed_out: 'ክፍያው በተሰጠው ጊዜ ውስጥ አልተረጋገጠም።',
    rail_unavailable: 'የመክፈያ ዘዴው አገልግሎት እየሰጠ አልነበረም።',
    insufficient_funds: TOO_LITTLE_MONEY,
    canceled_by_customer: 'ክፍያው ተሰርዟል።',
    wrong_pin: WRONG_PIN,
    misconfigured: 'የመክፈያ ዘዴው አገልግሎት እየሰጠ አልነበረም።',
  },
  failedLead: (merchant) => `አሁንም መክፈል ከፈለጉ ወደ ${merchant} ተመልሰው እንደ አዲስ ይጀምሩ።`,
  expiredTitle: 'የዚህ ክፍያ ጊዜ አልፏል',
  expiredLead: (merchant) =>
    `የመክፈያው ጊዜ ስላለፈ ከእንግዲህ በዚህ ገጽ መክፈል አይቻልም። አሁንም መክፈል ከፈለጉ ወደ ${merchant} ተመልሰው እንደ አዲስ ይጀምሩ።`,
  canceledTitle: 'ይህ ክፍያ ተሰርዟል',
  canceledLead: (merchant) => `${merchant} ይህን ክፍያ ሰርዟል። ከእንግዲህ ሊከፍሉት አይችሉም።`,
  mayStillSettle: (merchant) => `ከፍለው ከሆነ ምንም ማድረግ አያስፈልግዎትም፤ ክፍያው እንደተረጋገጠ ለ${merchant} እናሳውቃለን።`,

  simulatorTitle: 'የክፍያ ማስመሰያ',
  simulatorLead: (method) =>
    `በሙከራ አካባቢ (sandbox) ይህ ገጽ በ${method} ቦታ ያገለግላል። ይህ የሙከራ ክፍያ እንዴት እንደሚያበቃ ይምረጡ።`,
  simulatorApprove: 'ክፍያውን ያጽድቁ',
  simulatorDecline: 'ውድቅ ያድርጉ (ዳግም መሞከር ይቻላል)',
  simulatorDeclineFinal: 'ክፍያውን ውድቅ ያድርጉ',
  simulatorGiveUp: 'አክሽፈው ወደ ድርጅቱ ይመለሱ',
  simulatorBack: 'ወደ ክፍያ ገጹ ይመለሱ',
  simulatorSettledTitle: 'የዚህ የሙከራ ክፍያ ውጤት ታውቋል',
  simulatorSettled: {
    succeeded: 'ጸድቋል።',
    failed: 'አልተሳካም።',
    expired: 'ጊዜው አልፏል።',
  },
  simulatorOnward: 'ክፍያውን ይመልከቱ',
  simulatorAmounts: 'ውጤታቸው አስቀድሞ የተወሰነ መጠኖች',
  simulatorAmountsMore: 'እያንዳንዱ ምን እንደሚያደርግ',

  unknownTitle: 'ይህን ክፍያ ማግኘት አልቻልንም',
  unknownLead:
    'ሊንኩ ያልተሟላ ወይም የተሳሳተ ሊሆን ይችላል። ድርጅቱ የላከልዎትን ሊንክ እንደገና ይጫኑ፣ ወይም አዲስ ሊንክ እንዲልክልዎት ድርጅቱን ይጠይቁ።',
  lostTitle: 'በዚህ አድራሻ ገጽ የለም',
  lostLead: 'ለመክፈል ድርጅቱ የላከልዎትን ሊንክ ይጫኑ። እያንዳንዱ ክፍያ የራሱ ገጽ አለው።',
  lostHome: 'የመጀመሪያው ገጽ',
  lostDocs: 'ሰነዶች',
  lostDashboard: 'የነጋዴዎች ዳሽቦርድ',
  errorTitle: 'በእኛ በኩል ችግር ተፈጥሯል',
  errorLead: 'እባክዎ ከጥቂት ጊዜ በኋላ እንደገና ይሞክሩ። አስቀድመው ከፍለው ከሆነ ደግመው አይክፈሉ፤ ክፍያዎ የተጠበቀ ነው።',
  badFormTitle: 'ጥያቄዎን ማስተናገድ አልቻልንም',
  badFormLead: 'የላኩትን ቅጽ ማንበብ አልተቻለም። ወደ ክፍያው ተመልሰው እንደገና ይሞክሩ።',
  busyTitle: 'እባክዎ ትንሽ ይጠብቁ',
  busyLead: 'ይህ የክፍያ ገጽ በአጭር ጊዜ ውስጥ በጣም ብዙ ጊዜ ታይቷል። እባክዎ ከጥቂት ሰከንዶች በኋላ እንደገና ይሞክሩ።',
  tooManyTitle: 'ሙከራው በጣም በዝቷል',
  tryingAgainIn: (time) => `እንደገና እስኪሞከር የቀረው ጊዜ፦ ${time}`,
  tryAgain: 'እንደገና ይሞክሩ',
  receipt: {
    title: 'ደረሰኝ',
    share: 'ያጋሩ',
    save: 'ያስቀምጡ ወይም ያትሙ',
    number: 'የደረሰኝ ቁጥር',
    walletNumber: 'የዋሌትዎ (wallet) ደረሰኝ ቁጥር',
    paid: 'የተከፈለ',
    net: 'ከተመላሽ በኋላ የተከፈለ',
    paidTwice: (merchant) => `ከአንድ ጊዜ በላይ ከፍለዋል። ልዩነቱ ካልተመለሰልዎ ${merchant}ን ይጠይቁ።`,
    noTaxReceipt: 'ይህ ክፍያውን ያረጋግጣል፤ የድርጅቱን የግብር ደረሰኝ አይተካም።',
    until: (time) => `እስከ ${time} ድረስ በQR ኮዱ እንደገና ሊከፍቱት ይችላሉ።`,
    overTitle: 'ይህ ደረሰኝ ከእንግዲህ አይከፈትም',
    overLead: 'ደረሰኝ የሚከፈተው ለአንድ ዓመት ነው። የክፍያ ማረጋገጫ ካስፈለገዎት ድርጅቱን ይጠይቁ።',
  },
  refunds: {
    underway: 'እየተመለሰልዎ ነው። ጥቂት ቀናት ሊወስድ ይችላል።',
    returned: 'ተመልሶልዎታል',
    notReturned: (merchant) => `አልተመለሰም። እባክዎ ${merchant}ን ይጠይቁ።`,
  },
};
