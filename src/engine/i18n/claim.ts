import type { Texts } from '../../kit/ui/texts.ts';

/** The form of a customer who says that they have paid. An isolate loads it with the first one. */
export interface ClaimMessages {
  readonly lead: (method: string) => string;
  readonly label: string;
  readonly hint: string;
  readonly send: string;
  readonly back: string;
  readonly wrong: string;
  readonly full: string;
}

export const CLAIM_TEXTS: Texts<ClaimMessages> = {
  en: {
    lead: (method) =>
      `Type the transaction number from the message that ${method} sent you after you paid. A person looks it up. Please do not pay again.`,
    label: 'Transaction number',
    hint: 'For example CJ7A1B2C3D. Not your phone number, and never your PIN.',
    send: 'Send the number',
    back: 'Back',
    wrong: 'This is not a transaction number. Type only the number, not the whole message.',
    full: 'You have sent all the numbers that we can take. A person looks them up.',
  },
  am: {
    lead: (method) =>
      `ከከፈሉ በኋላ ${method} በላከልዎ መልእክት ላይ ያለውን የግብይት ቁጥር ያስገቡ። ሠራተኛ ያጣራዋል። እባክዎ ደግመው አይክፈሉ።`,
    label: 'የግብይት ቁጥር',
    hint: 'ለምሳሌ CJ7A1B2C3D። የስልክ ቁጥርዎን ወይም የሚስጥር ቁጥርዎን (PIN) አያስገቡ።',
    send: 'ቁጥሩን ይላኩ',
    back: 'ይመለሱ',
    wrong: 'ይህ የግብይት ቁጥር አይደለም። ሙሉውን መልእክት ሳይሆን ቁጥሩን ብቻ ያስገቡ።',
    full: 'የምንቀበላቸውን ቁጥሮች ሁሉ ልከዋል። ሠራተኛ ያጣራቸዋል።',
  },
  om: {
    lead: (method) =>
      `Erga kaffaltanii booda ergaa ${method} isiniif erge irraa lakkoofsa daldalaa galchaa. Hojjetaan ni mirkaneessa. Maaloo irra deebitanii hin kaffalinaa.`,
    label: 'Lakkoofsa daldalaa',
    hint: 'Fakkeenyaaf CJ7A1B2C3D. Lakkoofsa bilbilaa yookaan PIN keessan hin galchinaa.',
    send: 'Lakkoofsa ergaa',
    back: 'Deebi’aa',
    wrong: 'Kun lakkoofsa daldalaa miti. Ergaa guutuu osoo hin taane lakkoofsa qofa galchaa.',
    full: 'Lakkoofsa fudhachuu dandeenyu hunda ergitaniittu. Hojjetaan ni mirkaneessa.',
  },
  ti: {
    lead: (method) =>
      `ድሕሪ ምኽፋልኩም ${method} ኣብ ዝለኣኸልኩም መልእኽቲ ዘሎ ቁፅሪ ግብይት ኣእትዉ። ሰራሕተኛ ከፃርዮ እዩ። በጃኹም ደጊምኩም ኣይትኽፈሉ።`,
    label: 'ቁፅሪ ግብይት',
    hint: 'ንኣብነት CJ7A1B2C3D። ቁፅሪ ስልክኹም ወይ ምስጢር ቁፅርኹም (PIN) ኣይተእትዉ።',
    send: 'ቁፅሪ ስደዱ',
    back: 'ተመለሱ',
    wrong: 'እዚ ቁፅሪ ግብይት ኣይኮነን። ምሉእ መልእኽቲ ዘይኮነስ ነቲ ቁፅሪ ጥራሕ ኣእትዉ።',
    full: 'ክንቕበሎም እንኽእል ኩሎም ቁፅርታት ልኢኽኩም ኣለኹም። ሰራሕተኛ ከፃርዮም እዩ።',
  },
};
