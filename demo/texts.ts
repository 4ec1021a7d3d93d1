import { type Order, PRODUCT } from './orders.ts';

/** What the shop says, in the languages of its customers. */

export type Language = 'en' | 'am';

export interface ShopTexts {
  /** The name of the other language, to change to it. */
  readonly other: readonly [language: Language, name: string];
  readonly shop: string;
  readonly demo: string;
  readonly product: string;
  readonly about: string;
  readonly cup: string;
  readonly quantity: string;
  readonly pay: string;
  readonly methods: string;
  readonly orPhone: string;
  readonly phone: string;
  readonly phoneProblem: string;
  readonly chargePhone: string;
  readonly order: string;
  /** With the fee that the customer bore. */
  readonly paid: (fee: string | null) => string;
  readonly continue: string;
  readonly receipt: string;
  readonly again: string;
  readonly back: string;
  readonly notFound: string;
  readonly forgets: string;
  readonly toShop: string;
  readonly states: Readonly<Record<Order['status'], readonly [title: string, more: string]>>;
}

const NOTHING_CHARGED = 'Nothing was charged.';
const NOTHING_CHARGED_AM = 'ምንም አልተከፈለም።';

export const TEXTS: Readonly<Record<Language, ShopTexts>> = {
  en: {
    other: ['am', 'አማርኛ'],
    shop: 'Demo Shop',
    demo: 'A demo: nothing is sold, no money moves',
    product: PRODUCT.name,
    about:
      'Washed, grown at 1,900 m in Gedeo, roasted in Addis Ababa this week. Tastes of jasmine and lemon.',
    cup: 'A cup of coffee',
    quantity: 'Quantity',
    pay: 'Pay',
    methods: 'telebirr, CBE Birr, M-PESA, eBirr and bank accounts, on the payment page',
    orPhone: 'Or charge my M-PESA phone at once',
    phone: 'M-PESA number',
    phoneProblem: 'Type an M-PESA number: 07 and eight more digits.',
    chargePhone: 'Charge this phone',
    order: 'Order',
    paid: (fee) => (fee === null ? 'Paid' : `Paid, with a fee of ${fee}`),
    continue: 'Continue to the payment',
    receipt: 'Receipt',
    again: 'Try again',
    back: 'Back to the shop',
    notFound: 'Page not found',
    forgets: 'The shop forgets its orders when it stops.',
    toShop: 'To the shop',
    states: {
      OPEN: ['Waiting for your payment', 'This page changes by itself when you have paid.'],
      PROCESSING: [
        'Waiting for your confirmation',
        'This page changes by itself when you have confirmed.',
      ],
      SUCCESS: [
        'Thank you, your order is paid',
        'We are packing your coffee. It leaves tomorrow morning.',
      ],
      FAILED: ['The payment failed', NOTHING_CHARGED],
      EXPIRED: ['The payment expired', NOTHING_CHARGED],
      CANCELED: ['The payment was canceled', NOTHING_CHARGED],
    },
  },
  am: {
    other: ['en', 'English'],
    shop: 'የሙከራ ሱቅ',
    demo: 'ይህ ሙከራ ነው፦ ምንም አይሸጥም፣ ምንም ገንዘብ አይንቀሳቀስም',
    product: 'የይርጋጨፌ ቡና፣ 1 ኪሎ',
    about: 'በጌዴኦ በ1,900 ሜትር ከፍታ የበቀለ፣ የታጠበ፣ በዚህ ሳምንት አዲስ አበባ ላይ የተቆላ። የጃስሚንና የሎሚ ጣዕም አለው።',
    cup: 'አንድ ስኒ ቡና',
    quantity: 'ብዛት',
    pay: 'ይክፈሉ',
    methods: 'ቴሌብር፣ ሲቢኢ ብር፣ M-PESA፣ eBirr እና የባንክ ሒሳብ፣ በክፍያ ገጹ ላይ',
    orPhone: 'ወይም ከM-PESA ስልኬ በቀጥታ ይከፈል',
    phone: 'የM-PESA ቁጥር',
    phoneProblem: 'የM-PESA ቁጥር ያስገቡ፦ 07 እና ሌሎች ስምንት አሃዞች።',
    chargePhone: 'ከዚህ ስልክ ይከፈል',
    order: 'ትዕዛዝ',
    paid: (fee) => (fee === null ? 'የተከፈለ' : `የተከፈለ፣ ከ${fee} የአገልግሎት ክፍያ ጋር`),
    continue: 'ወደ ክፍያው ይቀጥሉ',
    receipt: 'ደረሰኝ',
    again: 'እንደገና ይሞክሩ',
    back: 'ወደ ሱቁ ይመለሱ',
    notFound: 'ገጹ አልተገኘም',
    forgets: 'ሱቁ ሲዘጋ ትዕዛዞቹን ይረሳል።',
    toShop: 'ወደ ሱቁ',
    states: {
      OPEN: ['ክፍያዎን በመጠበቅ ላይ', 'ሲከፍሉ ይህ ገጽ በራሱ ይቀየራል።'],
      PROCESSING: ['ማረጋገጫዎን በመጠበቅ ላይ', 'ሲያረጋግጡ ይህ ገጽ በራሱ ይቀየራል።'],
      SUCCESS: ['እናመሰግናለን፤ ትዕዛዝዎ ተከፍሏል', 'ቡናዎን እያሸግን ነው። ነገ ጠዋት ይላካል።'],
      FAILED: ['ክፍያው አልተሳካም', NOTHING_CHARGED_AM],
      EXPIRED: ['የክፍያው ጊዜ አልፏል', NOTHING_CHARGED_AM],
      CANCELED: ['ክፍያው ተሰርዟል', NOTHING_CHARGED_AM],
    },
  },
};

/** What the customer chose by the link, now or earlier; else what the browser prefers. */
export function languageOf(
  search: URLSearchParams,
  { cookie = '', 'accept-language': accepted = '' }: Readonly<Record<string, unknown>>,
): Language {
  const [, remembered] = /\bshop_language=(\w+)/.exec(String(cookie)) ?? [];
  const preferred = /^am\b/i.test(String(accepted)) ? 'am' : 'en';
  return [search.get('lang'), remembered].find(isLanguage) ?? preferred;
}

function isLanguage(text: string | null | undefined): text is Language {
  return text === 'en' || text === 'am';
}
