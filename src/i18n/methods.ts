import type { Method } from '../domain/method.ts';

/** What customers read about each method. */

/** Providers write their names alike in every language. */
export const METHOD_NAMES: Readonly<Record<Method, string>> = {
  TELE_BIRR: 'telebirr',
  TELE_BIRR_USSD: 'telebirr USSD',
  CBE: 'CBE Birr',
  ETS_SWITCH: 'EthSwitch',
  M_PESA: 'M\u2011PESA',
  E_BIRR: 'eBirr',
};

/** On the tile of a method for which the operator has set no logo. */
export const METHOD_INITIALS: Readonly<Record<Method, string>> = {
  TELE_BIRR: 't',
  TELE_BIRR_USSD: '*#',
  CBE: 'C',
  ETS_SWITCH: 'ES',
  M_PESA: 'M',
  E_BIRR: 'eB',
};

/** What the customer will do. */
export const METHOD_HINTS = {
  en: {
    TELE_BIRR: 'Log in on the telebirr page',
    TELE_BIRR_USSD: 'Enter your PIN, no app needed',
    CBE: 'On the CBE Birr page',
    ETS_SWITCH: 'Any bank card or account',
    M_PESA: 'Confirm on your phone',
    E_BIRR: 'Confirm on your phone',
  },
  am: {
    TELE_BIRR: 'በtelebirr ገጽ ላይ ገብተው ይክፈሉ',
    TELE_BIRR_USSD: 'PIN ያስገቡ፤ መተግበሪያ አያስፈልግም',
    CBE: 'በCBE Birr ገጽ ላይ',
    ETS_SWITCH: 'በማንኛውም የባንክ ካርድ ወይም ሂሳብ',
    M_PESA: 'በስልክዎ ላይ ያረጋግጡ',
    E_BIRR: 'በስልክዎ ላይ ያረጋግጡ',
  },
  om: {
    TELE_BIRR: 'Fuula telebirr irratti seenaatii kaffalaa',
    TELE_BIRR_USSD: 'PIN galchaa, appiin hin barbaachisu',
    CBE: 'Fuula CBE Birr irratti',
    ETS_SWITCH: 'Kaardii baankii yookiin herrega kamiinuu',
    M_PESA: 'Bilbila keessaniin mirkaneessaa',
    E_BIRR: 'Bilbila keessaniin mirkaneessaa',
  },
  ti: {
    TELE_BIRR: 'ኣብ ገፅ telebirr ኣቲኹም ክፈሉ',
    TELE_BIRR_USSD: 'PIN ኣእትዉ፤ ኣፕ ኣየድልን',
    CBE: 'ኣብ ገፅ CBE Birr',
    ETS_SWITCH: 'ብዝኾነ ናይ ባንኪ ካርድ ወይ ሒሳብ',
    M_PESA: 'ኣብ ስልክኹም ኣረጋግፁ',
    E_BIRR: 'ኣብ ስልክኹም ኣረጋግፁ',
  },
} satisfies Readonly<Record<string, Readonly<Record<Method, string>>>>;
