import type { Method } from '../../domain/method.ts';
import { AMHARIC_METHOD_NAMES, METHOD_NAMES } from '../../i18n/methods.ts';
import type { MessageLanguage, WireEvent } from '../endpoints.ts';

/** What people are told. Plain text: each is a line of a message. */

/** An action of the audit log that gives access, a server, or a section of the attention list. */
export type NewsKind =
  | 'member.joined'
  | 'passkey.added'
  | 'api_key.created'
  | 'api_key.rolled'
  | 'webhook.endpoint_created'
  | 'webhook.endpoint_changed'
  | 'webhook.secret_shown'
  | 'webhook.secret_rotated'
  | 'endpoint_failing'
  | 'anomaly';

export interface MessageTexts {
  /** For amounts. */
  readonly locale: string;
  readonly methods: Readonly<Record<Method, string>>;
  /** The first line, by the event; `amount` with its currency. */
  readonly events: Readonly<Record<WireEvent, (amount: string) => string>>;
  readonly sandbox: string;
  readonly method: (name: string) => string;
  /** `end`: four digits. */
  readonly payer: (end: string) => string;
  readonly about: (description: string) => string;
  readonly link: (id: string) => string;
  readonly till: (name: string) => string;
  readonly payment: (id: string) => string;
  readonly receipt: (url: string) => string;
  /** The first line of what needs the merchant. */
  readonly needs: string;
  /** `subject`: who did it, a server's address, or a payment. */
  readonly news: Readonly<Record<NewsKind, (subject: string) => string>>;
  readonly test: (merchant: string) => string;
  /** The bot's answers to a chat. */
  readonly connected: (merchant: string) => string;
  readonly codeUsed: string;
  readonly full: string;
  readonly welcome: string;
  /** The mail with a code. */
  readonly codeTitle: (code: string) => string;
  readonly codeText: (code: string, merchant: string) => string;
}

const en: MessageTexts = {
  locale: 'en-ET',
  methods: METHOD_NAMES,
  events: {
    PAYMENT_SUCCESS: (amount) => `Paid: ${amount}`,
    PAYMENT_FAILED: (amount) => `Not paid: ${amount}. The customer’s payment failed.`,
    PAYMENT_EXPIRED: (amount) => `Not paid: ${amount}. The time to pay has passed.`,
    REFUND_REQUIRES_ACTION: (amount) => `A refund of ${amount} needs a person`,
    REFUND_SUCCESS: (amount) => `Refunded: ${amount}`,
    REFUND_FAILED: (amount) => `A refund of ${amount} failed`,
  },
  sandbox: 'Sandbox: no money moved.',
  method: (name) => `By ${name}`,
  payer: (end) => `From …${end}`,
  about: (description) => `For: ${description}`,
  link: (id) => `Payment link: ${id}`,
  till: (name) => `Till: ${name}`,
  payment: (id) => `Payment: ${id}`,
  receipt: (url) => `Receipt: ${url}`,
  needs: 'Something needs you',
  news: {
    'member.joined': (name) => `New member: ${name}`,
    'passkey.added': (name) => `New passkey of ${name}`,
    'api_key.created': (name) => `New API key, by ${name}`,
    'api_key.rolled': (name) => `API key replaced, by ${name}`,
    'webhook.endpoint_created': (name) => `New endpoint for events, by ${name}`,
    'webhook.endpoint_changed': (name) => `Endpoint for events changed, by ${name}`,
    'webhook.secret_shown': (name) => `Webhook secret shown to ${name}`,
    'webhook.secret_rotated': (name) => `Webhook secret replaced, by ${name}`,
    endpoint_failing: (url) => `Webhooks fail for an hour: ${url}`,
    anomaly: (id) => `Look at the payment ${id}`,
  },
  test: (merchant) => `A test message for ${merchant}. No payment is behind it.`,
  connected: (merchant) => `Connected. Payments to ${merchant} are announced here.`,
  codeUsed: 'This code was used, or has expired. Get a new one in the dashboard.',
  full: 'Not connected: there are too many endpoints. Delete one in the dashboard.',
  welcome: 'This bot announces payments. To connect it, open the link in your dashboard.',
  codeTitle: (code) => `${code} is your code`,
  codeText: (code, merchant) =>
    `Your code is ${code}.\n\nA member of ${merchant} asked that this address gets a message for each payment. Enter the code in the dashboard within 15 minutes. If you expect no code, ignore this message.`,
};

const am: MessageTexts = {
  locale: 'am-ET',
  methods: AMHARIC_METHOD_NAMES,
  events: {
    PAYMENT_SUCCESS: (amount) => `ተከፍሏል፦ ${amount}`,
    PAYMENT_FAILED: (amount) => `አልተከፈለም፦ ${amount}። የደንበኛው ክፍያ አልተሳካም።`,
    PAYMENT_EXPIRED: (amount) => `አልተከፈለም፦ ${amount}። የመክፈያ ጊዜው አልፏል።`,
    REFUND_REQUIRES_ACTION: (amount) => `የ${amount} ተመላሽ ሰው ይፈልጋል`,
    REFUND_SUCCESS: (amount) => `ተመልሷል፦ ${amount}`,
    REFUND_FAILED: (amount) => `የ${amount} ተመላሽ አልተሳካም`,
  },
  sandbox: 'ሙከራ፦ ገንዘብ አልተንቀሳቀሰም።',
  method: (name) => `በ${name}`,
  payer: (end) => `ከ …${end}`,
  about: (description) => `ለ፦ ${description}`,
  link: (id) => `የክፍያ ሊንክ፦ ${id}`,
  till: (name) => `መሸጫ፦ ${name}`,
  payment: (id) => `ክፍያ፦ ${id}`,
  receipt: (url) => `ደረሰኝ፦ ${url}`,
  needs: 'አንድ ነገር ይፈልግዎታል',
  news: {
    'member.joined': (name) => `አዲስ አባል፦ ${name}`,
    'passkey.added': (name) => `አዲስ ፓስኪ የ${name}`,
    'api_key.created': (name) => `አዲስ የAPI ቁልፍ በ${name}`,
    'api_key.rolled': (name) => `የAPI ቁልፍ በ${name} ተተክቷል`,
    'webhook.endpoint_created': (name) => `አዲስ የክስተት መቀበያ በ${name}`,
    'webhook.endpoint_changed': (name) => `የክስተት መቀበያ በ${name} ተቀይሯል`,
    'webhook.secret_shown': (name) => `የዌብሁክ ምስጢር ለ${name} ታይቷል`,
    'webhook.secret_rotated': (name) => `የዌብሁክ ምስጢር በ${name} ተተክቷል`,
    endpoint_failing: (url) => `ዌብሁክ ለአንድ ሰዓት አልተሳካም፦ ${url}`,
    anomaly: (id) => `ይህን ክፍያ ይመልከቱ፦ ${id}`,
  },
  test: (merchant) => `ለ${merchant} የሙከራ መልእክት። ከጀርባው ክፍያ የለም።`,
  connected: (merchant) => `ተገናኝቷል። ለ${merchant} የሚከፈሉ ክፍያዎች እዚህ ይነገራሉ።`,
  codeUsed: 'ይህ ኮድ ጥቅም ላይ ውሏል ወይም ጊዜው አልፏል። በዳሽቦርዱ ላይ አዲስ ያግኙ።',
  full: 'አልተገናኘም፦ መዳረሻዎች በዝተዋል። በዳሽቦርዱ ላይ አንዱን ይሰርዙ።',
  welcome: 'ይህ ቦት ክፍያዎችን ይናገራል። ለማገናኘት በዳሽቦርድዎ ላይ ያለውን ሊንክ ይክፈቱ።',
  codeTitle: (code) => `ኮድዎ ${code} ነው`,
  codeText: (code, merchant) =>
    `ኮድዎ ${code} ነው።\n\nየ${merchant} አባል ይህ አድራሻ ለእያንዳንዱ ክፍያ መልእክት እንዲደርሰው ጠይቋል። በ15 ደቂቃ ውስጥ ኮዱን በዳሽቦርዱ ላይ ያስገቡ። ኮድ ካልጠበቁ ይህን መልእክት ይተዉት።`,
};

export const MESSAGE_TEXTS: Readonly<Record<MessageLanguage, MessageTexts>> = { en, am };
