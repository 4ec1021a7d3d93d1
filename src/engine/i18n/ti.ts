import type { CheckoutMessages } from './messages.ts';
import { METHOD_HINTS, METHOD_NAMES } from './methods.ts';

/** Every text in Tigrinya. A translator edits only this file; `en.ts` explains the texts. */

const MONTHS = 'ጃንዋሪ ፌብሩዋሪ ማርች ኤፕሪል ሜይ ጁን ጁላይ ኦገስት ሴፕቴምበር ኦክቶበር ኖቬምበር ዲሴምበር'.split(' ');

const ETHIOPIC_MONTHS = 'መስከረም ጥቅምቲ ሕዳር ታሕሳስ ጥሪ ለካቲት መጋቢት ሚያዝያ ግንቦት ሰነ ሓምለ ነሓሰ ጳጉሜን'.split(' ');

/**
 * Tigrinya as Tigray writes it (ፀ, ሕዚ), in the polite ንስኹም. "Open" (ክፈቱ) and "pay" (ክፈሉ) look
 * alike. Where one could be read as the other, "open" uses another verb.
 */
export const checkout: CheckoutMessages = {
  locale: 'ti-ET',
  languages: 'ቋንቋ',

  dateTime: ({ day, month, year }, ethiopic, time) =>
    `${day} ${MONTHS[month - 1]} ${year} (${ethiopic.day} ${ETHIOPIC_MONTHS[ethiopic.month - 1]} ${ethiopic.year} ዓ.ም.)፣ ${time} EAT`,
  timeOfDay: (time) => `ሰዓት ${time} EAT`,

  testBanner: 'ናይ ፈተነ ክፍሊት — ገንዘብ ኣይመሓላለፍን',
  payTo: 'ክፍሊት ናብ፦',
  poweredBy: 'ድሕንነቱ ብKefel ዝተሓለወ',
  keepLinkPrivate: 'እዚ ገፅ ንዓኹም ጥራሕ እዩ። ነቲ ሊንክ ንካልእ ሰብ ኣይትሃቡ።',

  methodName: METHOD_NAMES,
  methodHint: METHOD_HINTS.ti,

  details: 'ዝርዝር እትኸፍልዎ',
  detailsPaid: 'ዝርዝር ዝኸፈልኩምዎ',
  quantityTimes: (quantity, price) => `${quantity} × ${price}`,
  quantity: (quantity) => `ብዝሒ፦ ${quantity}`,
  subtotal: 'ንኡስ ድምር',
  commission: 'ክፍሊት ኣገልግሎት',
  commissionByMethod: 'ብመሰረት ኣገባብ ክፍሊት ይፈላለ',
  plusCommission: 'ብመሰረት ኣገባብ ክፍሊት ዝፈላለ ክፍሊት ኣገልግሎት ይውሰኾ',
  total: 'ጠቕላላ',
  feeIncluded: (fee) => `ክፍሊት ኣገልግሎት ${fee} ሓዊሱ`,
  feeOf: (fee) => `+${fee} ንኣገልግሎት`,
  noFee: 'ተወሳኺ የብሉን',

  choosePageTitle: (amount, merchant) => `${amount} ናብ ${merchant} ክፈሉ`,
  chooseMethod: 'ብምንታይ ክትከፍሉ ትደልዩ?',
  phoneLabel: 'ቁፅሪ ስልኪ',
  phoneHint: (method) => `ናይ ${method} ሒሳብኩም ዝተመዝገበሉ ቁፅሪ፣ ንኣብነት 0911\u00a0234\u00a0567።`,
  phoneHintMpesa: 'ቁፅርታት M\u2011PESA ብ07 ይጅምሩ፣ ንኣብነት 0712\u00a0345\u00a0678።',
  phoneFixed: 'ነዚ ቁፅሪ ንዚ ክፍሊት ዝወሰኖ እቲ ትካል እዩ።',
  lastNumber: (phone) => `ናይ መጨረሻ ፈተነኹም ብ${phone} ነይሩ። እቲ ቁፅሪ ጌጋ እንተኾይኑ ኣብዚ ኣዐርይዎ።`,
  pay: 'ቀፅሉ',
  payAmount: (amount) => `${amount} ክፈሉ`,
  tryMethodAgain: (method) => `ብ${method} ደጊምኩም ፈትኑ`,
  working: 'ቁሩብ ተፀበዩ…',
  payBefore: (time) => `በጃኹም ቅድሚ ${time} ክፈሉ።`,
  timeLeftToPay: (time) => `ንምኽፋል ዝተረፈ ግዜ፦ ${time}`,
  reportedUntil: (method, time) => `ምስ ኣረጋገፅኩም ${method} ውፅኢቱ ክሳብ ${time} ክሕብረና ይኽእል እዩ።`,
  timeLeftToConfirm: (time) => `ንምርግጋፅ ዝተረፈ ግዜ፦ ${time}`,
  fiveMinutesLeft: '5 ደቒቓ ተሪፉ ኣሎ።',
  oneMinuteLeft: '1 ደቒቓ ተሪፉ ኣሎ።',
  lastAttempt: 'እዚ ናይ መወዳእታ ፈተነኹም እዩ።',
  anotherTry: (method) =>
    `${method} እዚ ሕቶ ከም ዘይተኸፈለ ምስ ሓበረና ካልእ ቁፅሪ ከተእትዉ ወይ ካልእ ኣገባብ ክፍሊት ክትመርፁ ትኽእሉ ኢኹም።`,
  earliestTry: (time) => `እዚ ድማ እቲ ሕቶ ኣብቲ ስልኪ ምስ ተነፀገ ክኸውን ይኽእል። መልሲ እንተዘይረኺቡ ግዜኡ ዝውዳእ ${time} እዩ።`,
  startAgain: (merchant) => `እዚ ክፍሊት ምስ ተወደአ ናብ ${merchant} ተመሊስኩም ብትኽክለኛ ቁፅሪ ከም ብሓዱሽ ጀምሩ።`,

  leaveTitle: 'ከይከፈልኩም ክትወፁ ትደልዩ ዲኹም?',
  leaveLead: (merchant) => `እንተወፂእኩም እዚ ክፍሊት ይቋረፅ። ደሓር ንምኽፋል ናብ ${merchant} ተመሊስኩም ከም ብሓዱሽ ጀምሩ።`,
  giveUp: (merchant) => `ሰሪዝኩም ናብ ${merchant} ተመለሱ`,
  giveUpNowhere: 'ነዚ ክፍሊት ሰርዙ',
  keepPaying: 'ክፍሊት ቀፅሉ',
  returnTo: (merchant) => `ናብ ${merchant} ተመለሱ`,

  qrTitle: 'ብስልክኹም ቀፅሉ',
  qrLead: 'ነዚ ኮድ ብካሜራ ስልክኹም ስካን ግበሩ።',
  qrAlternative: 'ሊንክ እዚ ገፅ ዝሓዘ QR ኮድ',

  notAvailableNow: 'ሕጂ ኣይርከብን',
  notWorkingNow: 'ኣብዚ እዋን ኣይሰርሕን',
  problemTitle: 'በጃኹም ምርጫኹም ደጊምኩም ርአዩ',
  problem: {
    method_missing: 'ብምንታይ ከም እትኸፍሉ ምረፁ።',
    phone_missing: 'ቁፅሪ ስልክኹም ኣእትዉ፣ ንኣብነት {example}። ነቲ ክፍሊት እተረጋግፁ በቲ ስልኪ እዩ።',
    phone_invalid: 'ሙሉእ ናይ ኢትዮጵያ ቁፅሪ ሞባይል ኣእትዉ፣ ንኣብነት {example}።',
    phone_not_taken:
      'እዚ ኣገባብ ነዚ ቁፅሪ ኣይቅበልን። ኣብቲ ኣገባብ ሕሳብ ዘለዎ ቁፅሪ ኣእትዉ፣ ንኣብነት 0911\u00a0234\u00a0567፣ ወይ ካልእ ኣገባብ ምረፁ።',
    method_unavailable: 'እዚ ኣገባብ ክፍሊት ንግዚኡ ኣገልግሎት ኣይህብን። ደሓር ደጊምኩም ፈትኑ ወይ ካልእ ኣገባብ ክፍሊት ምረፁ።',
    too_many_prompts: 'ናብዚ ቁፅሪ ስልኪ ኣዝዮም ብዙሓት ሕቶታት ተላኢኾም። በጃኹም ሓደ ደቒቓ ተፀቢኹም ደጊምኩም ፈትኑ።',
  },

  leftTitle: (method) => `ብ${method} ድሮ ከፊልኩም ዲኹም?`,
  leftLead: 'ከምኡ እንተኾይኑ ደጊምኩም ኣይትኽፈሉ፤ እዚ ገፅ ከርእየኩም እዩ።',
  failureTitle: 'ገና ኣይከፈልኩምን',
  failure: {
    declined: 'እቲ ክፍሊት ተነፂጉ። ደጊምኩም ክትፍትኑ ወይ ካልእ ኣገባብ ክፍሊት ክትመርፁ ትኽእሉ ኢኹም።',
    timed_out: 'እቲ ክፍሊት ኣብቲ ዝተውሃበ ግዜ ኣይተረጋገፀን። ደጊምኩም ክትፍትኑ ወይ ካልእ ኣገባብ ክፍሊት ክትመርፁ ትኽእሉ ኢኹም።',
    rail_unavailable: 'እዚ ኣገባብ ክፍሊት ንግዚኡ ኣገልግሎት ኣይህብን። ደሓር ደጊምኩም ፈትኑ ወይ ካልእ ኣገባብ ክፍሊት ምረፁ።',
    insufficient_funds: 'ኣብ ሒሳብኩም ነዚ ክፍሊት ዝኣክል ገንዘብ የለን። ገንዘብ ኣእትዉ ወይ ካልእ ኣገባብ ክፍሊት ምረፁ።',
    canceled_by_customer: 'እዚ ክፍሊት ተሰሪዙ እዩ። ደጊምኩም ክትፍትኑ ወይ ካልእ ኣገባብ ክፍሊት ክትመርፁ ትኽእሉ ኢኹም።',
    wrong_pin: 'እቲ ናይ ምስጢር ቁፅሪ (PIN) ልክዕ ኣይኮነን። ደጊምኩም ክትፍትኑ ወይ ካልእ ኣገባብ ክፍሊት ክትመርፁ ትኽእሉ ኢኹም።',
    misconfigured: 'እዚ ኣገባብ ክፍሊት ንግዚኡ ኣገልግሎት ኣይህብን። ደሓር ደጊምኩም ፈትኑ ወይ ካልእ ኣገባብ ክፍሊት ምረፁ።',
  },

  redirectTitle: (method) => `ብ${method} ቀፅሉ`,
  redirectLead: (method) => `ክፍሊትኩም ኣብ ${method} ይፅበየኩም ኣሎ። ምስ ወዳእኩም ናብዚ ገፅ ክትምለሱ ኢኹም።`,
  redirectWait: (method) => `ምስ ${method} ነራኽበኩም ኣለና።`,
  continueTo: (method) => `ናብ ${method} ቀፅሉ`,
  anotherMethod: 'ካልእ ኣገባብ ክፍሊት ምረፁ',
  abandonWarning: 'ክሳብ ሕዚ እንተዘይከፈልኩም ጥራሕ ምረፁ።',

  pushTitle: 'ኣብ ስልክኹም ኣረጋግፁ',
  pushLead: (method, phone) => `${method} ናብ ${phone} ሕቶ ክፍሊት ልኢኹ ኣሎ።`,
  pushLeadNoPhone: (method) => `ክፍሊትኩም ብ${method} ኣብ መስርሕ ኣሎ።`,
  pushSteps: [
    'ኣብ ስልክኹም ዝበፅሐ መልእኽቲ ክፈቱ።',
    (amount) => `መጠን ገንዘብ ${amount} ምዃኑ ርኢኹም ናይ ምስጢር ቁፅርኹም (PIN) ኣእትዉ።`,
    'ነዚ ገፅ ኣይትዕፀውዎ፤ ውፅኢቱ ባዕሉ የርእየኩም።',
  ],
  pushNothingTitle: 'መልእኽቲ ኣይበፅሓኩምን ወይስ ቁፅሪ ተጋግዩ?',
  pushNothing: 'መልእኽቲ ሓደ ደቒቓ ክወስድ ይኽእል። እቲ ስልኪ ክፉት ምዃኑን ኔትወርክ ከም ዘለዎን ርአዩ። ንኻልኣይ ግዜ ኣይትኽፈሉ።',
  wrongNumber: (phone) =>
    `${phone} ቁፅርኹም ኣይኮነን? እምበኣር እቲ ሕቶ ናብ ካልእ ሰብ እዩ ተላኢኹ፤ እቲ ሰብ ካብ ናይ ባዕሉ ሒሳብ ጥራይ እዩ ክኸፍል ዝኽእል። ካብ ሒሳብኩም ዋላ ሓንቲ ኣይጉድልን።`,
  pushSimulator: 'ናይ ፈተነ ስልኪ ክፈቱ',
  unresolvedTitle: 'ክፍሊትኩም ነፃሪ ኣለና',
  unresolvedLead: (method) =>
    `${method} ውፅኢቱ ክሳብ ሕዚ ኣይሓበረናን። በጃኹም ደጊምኩም ኣይትኽፈሉ፤ ውፅኢቱ ምስ ፈለጥና እዚ ገፅ ከርእየኩም እዩ።`,
  waiting: 'መረጋገፂ ንፅበ ኣለና…',
  checkNow: 'ሕዚ ኣፃርዩ',
  claimTitle: 'ከፊለ ኣለኹ',
  claimSent: 'ዝለኣኽኩምልና ቁፅሪ ግብይት',
  noConnection: 'ርክብ ኢንተርኔት የለን። ርክብ ምስ ተመለሰ እዚ ገፅ ባዕሉ ክቕፅል እዩ።',
  notSentOffline: 'ርክብ ኢንተርኔት ስለዘይብልኩም ዝተልኣኸ ነገር የለን። ርክብ ምስ ተመለሰ ደጊምኩም ፈትኑ።',

  paidTitle: 'ክፍሊትኩም ብዓወት ተፈፂሙ',
  alreadyPaidTitle: 'እዚ ክፍሊት ቀዲሙ ተኸፊሉ እዩ',
  alreadyPaidLead: 'ደጊምኩም ምኽፋል ኣየድልየኩምን።',
  returningIn: (merchant, seconds) => `ድሕሪ ${seconds} ሰከንድ ናብ ${merchant} ክትምለሱ ኢኹም።`,
  returningSoon: (merchant) => `ድሕሪ ሒደት ሰከንዳት ናብ ${merchant} ክትምለሱ ኢኹም።`,
  stayHere: 'ኣብዚ ገፅ ፅንሑ',
  reference: 'መወከሲ ቁፅሪ',
  orderId: 'ቁፅሪ ትእዛዝ',
  paidWith: 'ዝተኸፈለሉ ኣገባብ',
  method: 'ኣገባብ ክፍሊት',
  merchant: 'ትካል',
  amount: 'መጠን ገንዘብ',
  paidAt: 'ዕለትን ሰዓትን',
  help: 'ሓገዝ',
  serviceStatus: 'ኩነታት ኣገልግሎት',

  failedTitle: 'እቲ ክፍሊት ኣይተዛዘመን',
  failedReason: {
    declined: 'እቲ ክፍሊት ተነፂጉ።',
    abandoned: 'ከይከፈልኩም ነዚ ክፍሊት ኣቋሪፅኩምዎ።',
    timed_out: 'እቲ ክፍሊት ኣብቲ ዝተውሃበ ግዜ ኣይተረጋገፀን።',
    rail_unavailable: 'እቲ ኣገባብ ክፍሊት ኣገልግሎት ኣይህብን ነይሩ።',
    insufficient_funds: 'ኣብቲ ሒሳብ እኹል ገንዘብ ኣይነበረን።',
    canceled_by_customer: 'እዚ ክፍሊት ተሰሪዙ እዩ።',
    wrong_pin: 'እቲ ናይ ምስጢር ቁፅሪ (PIN) ልክዕ ኣይነበረን።',
    misconfigured: 'እቲ ኣገባብ ክፍሊት ኣገልግሎት ኣይህብን ነይሩ።',
  },
  failedLead: (merchant) => `ሕዚ እውን ክትከፍሉ እንተደሊኹም ናብ ${merchant} ተመሊስኩም ከም ብሓዱሽ ጀምሩ።`,
  expiredTitle: 'ግዜ እዚ ክፍሊት ሓሊፉ',
  expiredLead: (merchant) =>
    `ናይ ምኽፋል ግዜ ስለዝሓለፈ ድሕሪ ሕዚ በዚ ገፅ ምኽፋል ኣይከኣልን። ሕዚ እውን ክትከፍሉ እንተደሊኹም ናብ ${merchant} ተመሊስኩም ከም ብሓዱሽ ጀምሩ።`,
  canceledTitle: 'እዚ ክፍሊት ተሰሪዙ',
  canceledLead: (merchant) => `${merchant} ነዚ ክፍሊት ሰሪዝዎ። ድሕሪ ሕዚ ክትከፍልዎ ኣይትኽእሉን።`,
  mayStillSettle: (merchant) =>
    `ከፊልኩም እንተኾይንኩም ዝኾነ ነገር ክትገብሩ ኣየድልየኩምን፤ እቲ ክፍሊት ምስ ተረጋገፀ ን${merchant} ክንሕብር ኢና።`,

  simulatorTitle: 'መምሰሊ ክፍሊት',
  simulatorLead: (method) =>
    `ኣብ ናይ ፈተነ ከባቢ (sandbox) እዚ ገፅ ኣብ ክንዲ ${method} የገልግል። እዚ ናይ ፈተነ ክፍሊት ብኸመይ ከም ዘብቅዕ ምረፁ።`,
  simulatorApprove: 'ነቲ ክፍሊት ኣፅድቑ',
  simulatorDecline: 'ንፀጉ (ደጊምኩም ክትፍትኑ ይከኣል)',
  simulatorDeclineFinal: 'ነቲ ክፍሊት ንፀጉ',
  simulatorGiveUp: 'ኣፍሺልኩም ናብቲ ትካል ተመለሱ',
  simulatorBack: 'ናብ ገፅ ክፍሊት ተመለሱ',
  simulatorSettledTitle: 'ውፅኢት እዚ ናይ ፈተነ ክፍሊት ተፈሊጡ',
  simulatorSettled: {
    succeeded: 'ፀዲቑ።',
    failed: 'ፈሺሉ።',
    expired: 'ግዜኡ ሓሊፉ።',
  },
  simulatorOnward: 'ነቲ ክፍሊት ርአዩ',
  simulatorAmounts: 'ውፅኢቶም ኣቐዲሙ ዝተወሰነ መጠናት',
  simulatorAmountsMore: 'ነፍሲ ወከፎም እንታይ ከም ዝገብሩ',

  unknownTitle: 'ነዚ ክፍሊት ክንረኽቦ ኣይከኣልናን',
  unknownLead:
    'እቲ ሊንክ ዘይተማልአ ወይ ጌጋ ዘለዎ ክኸውን ይኽእል። እቲ ትካል ዝለኣኸልኩም ሊንክ ደጊምኩም ጠውቑ፣ ወይ ሓዱሽ ሊንክ ክልእኸልኩም ነቲ ትካል ሕተቱ።',
  lostTitle: 'ኣብዚ ኣድራሻ ገጽ የለን',
  lostLead: 'ንምኽፋል ነቲ ትካል ዝለኣኸልኩም ሊንክ ጠውቑ። ነፍሲ ወከፍ ክፍሊት ናይ ገዛእ ርእሱ ገጽ ኣለዎ።',
  lostHome: 'ቀዳማይ ገጽ',
  lostDocs: 'ሰነዳት',
  lostDashboard: 'ዳሽቦርድ ነጋዶ',
  errorTitle: 'ብወገንና ፀገም ኣጋጢሙ',
  errorLead: 'በጃኹም ድሕሪ ቁሩብ ግዜ ደጊምኩም ፈትኑ። ቀዲምኩም ከፊልኩም እንተኾይንኩም ደጊምኩም ኣይትኽፈሉ፤ ክፍሊትኩም ኣይጠፍእን።',
  badFormTitle: 'ሕቶኹም ክንፍፅሞ ኣይከኣልናን',
  badFormLead: 'እቲ ዝለኣኽኩምዎ ቅጥዒ ክንበብ ኣይተኻእለን። ናብቲ ክፍሊት ተመሊስኩም ደጊምኩም ፈትኑ።',
  busyTitle: 'በጃኹም ቁሩብ ተፀበዩ',
  busyLead: 'እዚ ገፅ ክፍሊት ኣብ ሓፂር ግዜ ኣዝዩ ብዙሕ ግዜ ተራእዩ። በጃኹም ድሕሪ ሒደት ሰከንዳት ደጊምኩም ፈትኑ።',
  tooManyTitle: 'ብዙሕ ግዜ ተፈቲኑ',
  tryingAgainIn: (time) => `ደጊሙ ክሳዕ ዝፍተን ዝተረፈ ግዜ፦ ${time}`,
  tryAgain: 'ደጊምኩም ፈትኑ',
  receipt: {
    title: 'ቅብሊት',
    share: 'ኣካፍሉ',
    save: 'ኣቐምጡ ወይ ሕተሙ',
    number: 'ቁፅሪ ቅብሊት',
    walletNumber: 'ቁፅሪ ቅብሊት ናይ ዋለትኩም (wallet)',
    paid: 'ዝተኸፍለ',
    net: 'ድሕሪ ተመላሲ ዝተኸፍለ',
    paidTwice: (merchant) => `ልዕሊ ሓደ ግዜ ከፊልኩም። እቲ ፍልልይ እንተዘይተመሊሱልኩም ን${merchant} ሕተቱ።`,
    noTaxReceipt: 'እዚ ነቲ ክፍሊት የረጋግፅ። ንናይ ግብሪ ቅብሊት እቲ ትካል ኣይትክእን።',
    until: (time) => `ክሳዕ ${time} ብQR ኮድ ደጊምኩም ክትከፍትዎ ትኽእሉ ኢኹም።`,
    overTitle: 'እዚ ቅብሊት ካብ ሕጂ ንደሓር ኣይኽፈትን',
    overLead: 'ቅብሊት ንሓደ ዓመት ይኽፈት። መረጋገፂ ክፍሊት እንተደሊኹም ነቲ ትካል ሕተቱ።',
  },
  refunds: {
    underway: 'ይምለሰልኩም ኣሎ። ሒደት መዓልታት ክወስድ ይኽእል።',
    returned: 'ተመሊሱልኩም ኣሎ',
    notReturned: (merchant) => `ኣይተመለሰን። በጃኹም ን${merchant} ሕተቱ።`,
  },
};
