import type { Method } from '../domain/method.ts';

/** What customers read about each method. */

export const METHOD_NAMES: Readonly<Record<Method, string>> = {
  TELE_BIRR: 'telebirr',
  TELE_BIRR_USSD: 'telebirr USSD',
  CBE: 'CBE Birr',
  ETS_SWITCH: 'EthSwitch',
  M_PESA: 'M\u2011PESA',
  E_BIRR: 'eBirr',
};

/** As these providers write their own names in Amharic. */
export const AMHARIC_METHOD_NAMES: typeof METHOD_NAMES = {
  ...METHOD_NAMES,
  TELE_BIRR: 'ቴሌብር',
  TELE_BIRR_USSD: 'ቴሌብር USSD',
  CBE: 'ሲቢኢ ብር',
};

/** What the customer will do, short enough for one line beside the fee. */
export const METHOD_HINTS = {
  en: {
    TELE_BIRR: 'On telebirr’s page',
    TELE_BIRR_USSD: 'PIN, no app needed',
    CBE: 'On CBE Birr’s page',
    ETS_SWITCH: 'Any bank or card',
    M_PESA: 'PIN on your phone',
    E_BIRR: 'PIN on your phone',
  },
  am: {
    TELE_BIRR: 'በቴሌብር ገጽ ላይ',
    TELE_BIRR_USSD: 'በPIN፣ ያለ አፕ',
    CBE: 'በሲቢኢ ብር ገጽ ላይ',
    ETS_SWITCH: 'ካርድ ወይም ሂሳብ',
    M_PESA: 'በስልክዎ ያረጋግጡ',
    E_BIRR: 'በስልክዎ ያረጋግጡ',
  },
  om: {
    TELE_BIRR: 'Fuula telebirr',
    TELE_BIRR_USSD: 'PIN, appii malee',
    CBE: 'Fuula CBE Birr',
    ETS_SWITCH: 'Baankii, kaardii',
    M_PESA: 'PIN bilbilaan',
    E_BIRR: 'PIN bilbilaan',
  },
  ti: {
    TELE_BIRR: 'ኣብ ገፅ telebirr',
    TELE_BIRR_USSD: 'ብPIN፣ ብዘይ ኣፕ',
    CBE: 'ኣብ ገፅ CBE Birr',
    ETS_SWITCH: 'ካርድ ወይ ሒሳብ ባንኪ',
    M_PESA: 'ብስልክኹም ኣረጋግፁ',
    E_BIRR: 'ብስልክኹም ኣረጋግፁ',
  },
} satisfies Readonly<Record<string, Readonly<Record<Method, string>>>>;
