import type { CheckoutMessages } from './messages.ts';
import { METHOD_HINTS, METHOD_NAMES } from './methods.ts';

/** Every text in Afaan Oromo. A translator edits only this file; `en.ts` explains the texts. */

const MONTHS =
  'Amajjii Guraandhala Bitootessa Eebila Caamsaa Waxabajjii Adoolessa Hagayya Fulbaana Onkololeessa Sadaasa Muddee'.split(
    ' ',
  );

/** Afaan Oromo, in the polite plural. Names have no case endings, which depend on their sound. */
export const checkout: CheckoutMessages = {
  locale: 'om-ET',
  languages: 'Afaan',

  dateTime: ({ day, month, year }, _ethiopic, time) =>
    `${day} ${MONTHS[month - 1]} ${year}, ${time} EAT`,
  timeOfDay: (time) => `sa’aatii ${time} EAT`,

  testBanner: 'Kaffaltii yaalii — maallaqni hin dabarfamu',
  payTo: 'Kan kaffalamuuf:',
  poweredBy: 'Nageenya kaffaltii: Kefel',
  keepLinkPrivate: 'Fuulli kun kan keessan qofa. Liinkii isaa nama biraaf hin kenninaa.',

  methodName: METHOD_NAMES,
  methodHint: METHOD_HINTS.om,

  details: 'Waan kaffaltiin raawwatamuuf',
  detailsPaid: 'Waan kaffaltiin raawwatameef',
  quantityTimes: (quantity, price) => `${quantity} × ${price}`,
  quantity: (quantity) => `Baay’ina: ${quantity}`,
  subtotal: 'Ida’ama xiqqaa',
  commission: 'Kaffaltii tajaajilaa',
  commissionByMethod: 'mala kaffaltii irratti hundaa’a',
  plusCommission: 'kaffaltiin tajaajilaa mala kaffaltii irratti hundaa’u itti dabalama',
  total: 'Waliigala',
  feeIncluded: (fee) => `kaffaltii tajaajilaa ${fee} dabalatee`,
  feeOf: (fee) => `+${fee} tajaajilaaf`,
  noFee: 'Dabalata hin qabu',

  choosePageTitle: (amount, merchant) => `Gara ${merchant} ${amount} kaffalaa`,
  chooseMethod: 'Maaliin kaffaluu barbaaddu?',
  phoneLabel: 'Lakkoofsa bilbilaa',
  phoneHint: (method) =>
    `Lakkoofsa herregni ${method} keessan ittiin galmaa’e, fakkeenyaaf 0911\u00a0234\u00a0567.`,
  phoneHintMpesa: 'Lakkoofsi M\u2011PESA 07 irraa jalqaba, fakkeenyaaf 0712\u00a0345\u00a0678.',
  phoneFixed: 'Lakkoofsa kana kaffaltii kanaaf dhaabbatichatu murteesse.',
  lastNumber: (phone) =>
    `Yaaliin keessan isa dhumaa ${phone} ture. Lakkoofsi sun dogoggora yoo ta’e asitti sirreessaa.`,
  pay: 'Itti fufaa',
  payAmount: (amount) => `${amount} kaffalaa`,
  tryMethodAgain: (method) => `${method} irra deebi’aa yaalaa`,
  working: 'Xiqqoo eegaa…',
  payBefore: (time) => `Maaloo ${time} dura kaffalaa.`,
  timeLeftToPay: (time) => `Yeroo kaffaluuf hafe: ${time}`,
  reportedUntil: (method, time) =>
    `Erga mirkaneessitanii booda ${method} bu’aa isaa hanga kanaatti nu beeksisuu danda’a: ${time}.`,
  timeLeftToConfirm: (time) => `Yeroo mirkaneessuuf hafe: ${time}`,
  fiveMinutesLeft: 'Daqiiqaa 5tu hafe.',
  oneMinuteLeft: 'Daqiiqaa 1tu hafe.',
  lastAttempt: 'Kun yaalii keessan isa dhumaati.',
  anotherTry: (method) =>
    `Akkuma ${method} gaaffiin kun akka hin kaffalamne nu beeksiseen lakkoofsa biraa galchuu yookiin mala kaffaltii biraa filachuu dandeessu.`,
  earliestTry: (time) =>
    `Kunis akkuma gaaffichi bilbila sana irratti didameen ta’uu danda’a. Yoo deebii hin argatin yeroon isaa kan dhumatu: ${time}.`,
  startAgain: (merchant) =>
    `Kaffaltiin kun yommuu xumuramu gara ${merchant} deebi’aatii lakkoofsa sirriidhaan haaraatti jalqabaa.`,

  leaveTitle: 'Osoo hin kaffalin ba’uu barbaadduu?',
  leaveLead: (merchant) =>
    `Yoo baatan kaffaltiin kun addaan cita. Booda kaffaluuf gara ${merchant} deebi’aatii haaraatti jalqabaa.`,
  giveUp: (merchant) => `Haqaatii gara ${merchant} deebi’aa`,
  giveUpNowhere: 'Kaffaltii kana haqaa',
  keepPaying: 'Kaffaluu itti fufaa',
  returnTo: (merchant) => `Gara ${merchant} deebi’aa`,

  qrTitle: 'Bilbila keessaniin itti fufaa',
  qrLead: 'Koodii kana kaameraa bilbila keessaniitiin iskaan godhaa.',
  qrAlternative: 'Koodii QR liinkii fuula kanaa qabu',

  notAvailableNow: 'Amma hin argamu',
  notWorkingNow: 'Yeroo ammaa hin hojjetu',
  problemTitle: 'Maaloo filannoo keessan ilaalaa',
  problem: {
    method_missing: 'Maaliin akka kaffaltan filadhaa.',
    phone_missing:
      'Lakkoofsa bilbilaa keessan galchaa, fakkeenyaaf {example}. Kaffaltii kan mirkaneessitan bilbila sanaan.',
    phone_invalid: 'Lakkoofsa moobaayilaa Itoophiyaa guutuu galchaa, fakkeenyaaf {example}.',
    phone_not_taken:
      'Malli kun lakkoofsa kana hin fudhatu. Lakkoofsa mala kana irratti akkaawuntii qabu galchaa, fakkeenyaaf 0911\u00a0234\u00a0567, yookiin mala biraa filadhaa.',
    method_unavailable:
      'Malli kaffaltii kun yeroo ammaa tajaajila hin kennu. Booda irra deebi’aa yaalaa yookiin mala kaffaltii biraa filadhaa.',
    too_many_prompts:
      'Gara lakkoofsa bilbilaa kanaatti gaaffii baay’eetu ergame. Maaloo daqiiqaa tokko eegaatii irra deebi’aa yaalaa.',
  },

  leftTitle: (method) => `${method}n duraan kaffaltaniittuu?`,
  leftLead: 'Yoo akkas ta’e irra deebitanii hin kaffalinaa; fuulli kun ni agarsiisa.',
  failureTitle: 'Isin hanga ammaatti hin kaffalle',
  failure: {
    declined:
      'Kaffaltiin kun didameera. Irra deebitanii yaaluu yookiin mala kaffaltii biraa filachuu dandeessu.',
    timed_out:
      'Kaffaltiin kun yeroo kenname keessatti hin mirkanoofne. Irra deebitanii yaaluu yookiin mala kaffaltii biraa filachuu dandeessu.',
    rail_unavailable:
      'Malli kaffaltii kun yeroo ammaa tajaajila hin kennu. Booda irra deebi’aa yaalaa yookiin mala kaffaltii biraa filadhaa.',
    insufficient_funds:
      'Herrega keessan keessa maallaqni kaffaltii kanaaf gahu hin jiru. Maallaqa galchaa yookiin mala kaffaltii biraa filadhaa.',
    canceled_by_customer:
      'Kaffaltiin kun haqameera. Irra deebitanii yaaluu yookiin mala kaffaltii biraa filachuu dandeessu.',
    wrong_pin:
      'Lakkoofsi icciitii (PIN) sirrii miti. Irra deebitanii yaaluu yookiin mala kaffaltii biraa filachuu dandeessu.',
    misconfigured:
      'Malli kaffaltii kun yeroo ammaa tajaajila hin kennu. Booda irra deebi’aa yaalaa yookiin mala kaffaltii biraa filadhaa.',
  },

  redirectTitle: (method) => `Karaa ${method} itti fufaa`,
  redirectLead: (method) =>
    `Kaffaltiin keessan ${method} irratti isin eegaa jira. Yommuu xumurtan gara fuula kanaatti deebitu.`,
  redirectWait: (method) => `Gara ${method} isin dabarsaa jirra.`,
  continueTo: (method) => `Gara ${method} itti fufaa`,
  anotherMethod: 'Mala kaffaltii biraa filadhaa',
  abandonWarning: 'Yoo isin hanga ammaatti hin kaffalle ta’e qofa filadhaa.',

  pushTitle: 'Bilbila keessaniin mirkaneessaa',
  pushLead: (method, phone) => `${method} gaaffii kaffaltii gara ${phone} ergeera.`,
  pushLeadNoPhone: (method) => `Kaffaltiin keessan karaa ${method} adeemsa irra jira.`,
  pushSteps: [
    'Ergaa bilbila keessanitti dhufe banaa.',
    (amount) =>
      `Hangi maallaqaa ${amount} ta’uu isaa ilaalaatii lakkoofsa icciitii (PIN) keessan galchaa.`,
    'Fuula kana hin cufinaa: bu’aa isaa ofumaan agarsiisa.',
  ],
  pushNothingTitle: 'Ergaan isin hin geenyee moo lakkoofsi dogoggora?',
  pushNothing:
    'Ergaan daqiiqaa tokko fudhachuu danda’a. Bilbilichi banaa ta’uu fi neetworkii qabaachuu isaa ilaalaa. Yeroo lammaffaaf hin kaffalinaa.',
  wrongNumber: (phone) =>
    `${phone} lakkoofsa keessan mitii? Yoos gaaffichi nama birootti ergame; namni sun herrega ofii isaa qofa irraa kaffaluu danda’a. Herrega keessan irraa homaa hin hir’atu.`,
  pushSimulator: 'Bilbila yaalii banaa',
  unresolvedTitle: 'Kaffaltii keessan mirkaneeffachaa jirra',
  unresolvedLead: (method) =>
    `${method} bu’aa isaa hanga ammaatti nu hin beeksifne. Maaloo irra deebitanii hin kaffalinaa: akkuma beekneen fuulli kun bu’aa isaa isinitti agarsiisa.`,
  waiting: 'Mirkaneessa eegaa jirra…',
  checkNow: 'Amma ilaalaa',
  claimTitle: 'Kaffaleera',
  claimSent: 'Lakkoofsa daldalaa isin nuuf ergitan',
  noConnection: 'Qunnamtiin interneetii hin jiru. Akkuma deebi’een fuulli kun ofumaan itti fufa.',
  notSentOffline:
    'Qunnamtii interneetii waan hin qabneef wanti ergame hin jiru. Yommuu qunnamtiin deebi’u irra deebi’aa yaalaa.',

  paidTitle: 'Kaffaltiin keessan milkaa’eera',
  alreadyPaidTitle: 'Kaffaltiin kun duraan kaffalameera',
  alreadyPaidLead: 'Irra deebitanii kaffaluun hin barbaachisu.',
  returningIn: (merchant, seconds) => `Sekondii ${seconds} booda gara ${merchant} deebitu.`,
  returningSoon: (merchant) => `Sekondii muraasa booda gara ${merchant} deebitu.`,
  stayHere: 'Fuula kana irra turaa',
  reference: 'Lakkoofsa wabii',
  orderId: 'Lakkoofsa ajajaa',
  paidWith: 'Mala ittiin kaffalame',
  method: 'Mala kaffaltii',
  merchant: 'Dhaabbata',
  amount: 'Hanga maallaqaa',
  paidAt: 'Guyyaa fi sa’aatii',
  help: 'Gargaarsa',
  serviceStatus: 'Haala tajaajilaa',

  failedTitle: 'Kaffaltiin kun hin xumuramne',
  failedReason: {
    declined: 'Kaffaltiin kun didameera.',
    abandoned: 'Osoo hin kaffalin kaffaltii kana addaan kuttan.',
    timed_out: 'Kaffaltiin kun yeroo kenname keessatti hin mirkanoofne.',
    rail_unavailable: 'Malli kaffaltichaa tajaajila hin kennu ture.',
    insufficient_funds: 'Herregicha keessa maallaqni gahaan hin turre.',
    canceled_by_customer: 'Kaffaltiin kun haqameera.',
    wrong_pin: 'Lakkoofsi icciitii (PIN) sirrii hin turre.',
    misconfigured: 'Malli kaffaltichaa tajaajila hin kennu ture.',
  },
  failedLead: (merchant) =>
    `Kaffaluu yoo barbaaddan gara ${merchant} deebi’aatii haaraatti jalqabaa.`,
  expiredTitle: 'Yeroon kaffaltii kanaa darbeera',
  expiredLead: (merchant) =>
    `Yeroon kaffaltichaa waan darbeef, kana booda fuula kanaan kaffaluun hin danda’amu. Kaffaluu yoo barbaaddan gara ${merchant} deebi’aatii haaraatti jalqabaa.`,
  canceledTitle: 'Kaffaltiin kun haqameera',
  canceledLead: (merchant) =>
    `${merchant} kaffaltii kana haqeera. Kana booda kaffaltii kana raawwachuu hin dandeessan.`,
  mayStillSettle: (merchant) =>
    `Yoo kaffaltanii jirtan waan gochuu qabdan hin jiru: akkuma kaffaltichi mirkanaa’een ${merchant} ni beeksifna.`,

  simulatorTitle: 'Fakkeessituu kaffaltii',
  simulatorLead: (method) =>
    `Naannoo yaalii (sandbox) keessatti fuulli kun bakka ${method} bu’a. Kaffaltiin yaalii kun akkamitti akka xumuramu filadhaa.`,
  simulatorApprove: 'Kaffalticha hayyamaa',
  simulatorDecline: 'Didaa (ammas yaaluun danda’ama)',
  simulatorDeclineFinal: 'Kaffalticha didaa',
  simulatorGiveUp: 'Fashaleessaatii dhaabbatatti deebi’aa',
  simulatorBack: 'Fuula kaffaltiitti deebi’aa',
  simulatorSettledTitle: 'Bu’aan kaffaltii yaalii kanaa beekameera',
  simulatorSettled: {
    succeeded: 'Hayyamameera.',
    failed: 'Hin milkoofne.',
    expired: 'Yeroon isaa darbeera.',
  },
  simulatorOnward: 'Kaffalticha ilaalaa',
  simulatorAmounts: 'Hanga bu’aan isaa murtaa’e',
  simulatorAmountsMore: 'Tokkoon tokkoon isaa maal akka hojjetu',

  unknownTitle: 'Kaffaltii kana argachuu hin dandeenye',
  unknownLead:
    'Liinkichi guutuu ta’uu dhiisuu yookiin dogoggora qabaachuu danda’a. Liinkii dhaabbatichi isinii erge irra deebi’aa banaa, yookiin liinkii haaraa akka isinii ergu dhaabbaticha gaafadhaa.',
  lostTitle: 'Teessoo kanarratti fuulli hin jiru',
  lostLead:
    'Kaffaluuf liinkii dhaabbatichi isinii erge banaa. Kaffaltiin hundi fuula mataa isaa qaba.',
  lostHome: 'Fuula jalqabaa',
  lostDocs: 'Qajeelfama',
  lostDashboard: 'Daashboordii daldaltootaa',
  errorTitle: 'Gama keenyaan rakkoon uumameera',
  errorLead:
    'Maaloo yeroo muraasa booda irra deebi’aa yaalaa. Yoo duraan kaffaltanii jirtan, irra deebitanii hin kaffalinaa: kaffaltiin keessan hin badu.',
  badFormTitle: 'Gaaffii keessan keessummeessuu hin dandeenye',
  badFormLead:
    'Unka ergitan dubbisuun hin danda’amne. Gara kaffaltichaatti deebi’aatii irra deebi’aa yaalaa.',
  busyTitle: 'Maaloo xiqqoo eegaa',
  busyLead:
    'Fuulli kaffaltii kun yeroo gabaabaa keessatti al baay’ee banameera. Maaloo sekondii muraasa booda irra deebi’aa yaalaa.',
  tooManyTitle: 'Yaaliin baay’ateera',
  tryingAgainIn: (time) => `Hanga irra deebi’amee yaalamutti: ${time}`,
  tryAgain: 'Irra deebi’aa yaalaa',
  receipt: {
    title: 'Nagahee',
    share: 'Qoodaa',
    save: 'Kuusaa ykn maxxansaa',
    number: 'Lakkoofsa nagahee',
    walletNumber: 'Lakkoofsa nagahee waaleetii keessanii',
    paid: 'Kan kaffalame',
    net: 'Deebii booda kan kaffalame',
    paidTwice: (merchant) =>
      `Yeroo tokkoo ol kaffaltaniittu. Garaagarummaan isaa yoo isiniif hin deebine ${merchant} gaafadhaa.`,
    noTaxReceipt: 'Kun kaffaltii mirkaneessa. Nagahee gibiraa dhaabbatichaa bakka hin bu’u.',
    until: (time) => `Koodii QRtiin irra deebitanii banuu kan dandeessan hanga ${time}.`,
    overTitle: 'Nagaheen kun kana booda hin banamu',
    overLead:
      'Nagaheen waggaa tokkoof banama. Ragaa kaffaltii yoo barbaaddan dhaabbaticha gaafadhaa.',
  },
  refunds: {
    underway: 'Isiniif deebi’aa jira. Guyyoota muraasa fudhachuu danda’a.',
    returned: 'Isiniif deebi’eera',
    notReturned: (merchant) => `Hin deebine. Maaloo ${merchant} gaafadhaa.`,
  },
};
