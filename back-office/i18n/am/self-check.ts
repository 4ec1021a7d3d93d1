import type { SelfCheckMessages } from '../messages.ts';

export const selfCheck: SelfCheckMessages = {
  title: 'ራስን መፈተሻ',
  lead: 'የጌትዌዩን እያንዳንዱን ክፍል አንድ ጊዜ ይሞክራል፤ በሙከራ ክፍያም ከመጀመሪያ እስከ መጨረሻ። ምንም ገንዘብ አይንቀሳቀስም፣ ማንም አቅራቢ አይጠየቅም።',
  start: 'ፍተሻ ጀምር',
  none: 'እስካሁን ምንም ፍተሻ አልተደረገም።',
  started: 'የተጀመረበት',
  summary: {
    waiting: 'ቆይተው የሚመልሱ ክፍሎችን በመጠበቅ ላይ። ይህ ገጽ በራሱ ይታደሳል።',
    ok: 'ሁሉም ይሠራል።',
    wrong: 'የተበላሸ ነገር አለ።',
  },
  checked: 'የተፈተሹት',
  toDo: 'መደረግ ያለበት፦',
  states: { ok: 'ይሠራል', wrong: 'ተበላሽቷል', waiting: 'በመጠበቅ ላይ' },
  tooSoon: 'ከአንድ ደቂቃ ባነሰ ጊዜ ውስጥ ፍተሻ ተጀምሯል።',

  checks: {
    'payments-worker': {
      title: 'የክፍያዎች Worker',
      remedy: 'የክፍያዎችን Worker ያሰማሩ፣ አስተዳደሩንም ከመግቢያው Payments ጋር ያገናኙ። ጥሪ ለምን እንዳልተሳካ መዝገቡ ይናገራል።',
    },
    bindings: {
      title: 'የክፍያዎች ግንኙነቶች (bindings)',
      remedy: 'የክፍያዎችን Worker በwrangler.toml ካሉት ሁሉም ግንኙነቶች ጋር ያሰማሩ።',
    },
    configuration: {
      title: 'የክፍያዎች ቅንብሮችና ምስጢሮች',
      remedy: 'ቅንብሩን ወይም ምስጢሩን ያስተካክሉና ያሰማሩ።',
    },
    database: {
      title: 'የክፍያዎች ዳታቤዝ',
      remedy: 'ማሻሻያዎቹን (migrations) ያስኪዱ፦ npx wrangler d1 migrations apply kefel --remote',
    },
    rails: {
      title: 'አቅራቢዎች',
      remedy: 'ምስጢሮቹን ያስተካክሉ። የእያንዳንዱን ስህተት የመክፈያ መንገዶች ገጽ ያሳያል።',
    },
    register: {
      title: 'የነጋዴ መዝገብ',
      remedy: 'የDurable Objects ብልሽት መኖሩን በcloudflarestatus.com፣ ከዚያም በlog መዝገቡ ይመልከቱ።',
    },
    books: {
      title: 'የነጋዴዎች መዝገቦች',
      remedy: 'ክፍያዎቹ አልተነኩም። የተጠቀሱትን መዝገቦች እንደገና ይገንቡ፦ npm run operator -- rebuild namespace',
    },
    alerts: {
      title: 'ማንቂያዎች',
      remedy: 'በማንቂያዎች ገጽ ላይ መላኪያዎቹን ይመልከቱ። የማይሠራውን ያስተካክሉና የሙከራ መልእክት ይላኩ።',
    },
    'daily-run': {
      title: 'የክፍያዎች ዕለታዊ ሥራ',
      remedy: 'የክፍያዎች Worker የcron መርሐ ግብር እንዳለው ያረጋግጡ፣ ስህተቶቹንም በመዝገቡ ይፈልጉ።',
    },
    backup: {
      title: 'መጠባበቂያ ቅጂ',
      remedy: 'የዕለታዊ መጠባበቂያ ስህተቶችን በመዝገቡ ይፈልጉ፣ ማከማቻው (bucket) መኖሩንም ያረጋግጡ።',
    },
    'kefel-webhooks': {
      title: 'ወረፋ kefel-webhooks',
      remedy: 'የክፍያዎች Worker የወረፋው ተቀባይ መሆኑንና ማድረሱ አለመቆሙን ያረጋግጡ።',
    },
    'kefel-webhook-retries': {
      title: 'ወረፋ kefel-webhook-retries',
      remedy: 'የክፍያዎች Worker የወረፋው ተቀባይ መሆኑንና ማድረሱ አለመቆሙን ያረጋግጡ።',
    },
    'kefel-provider-reports': {
      title: 'ወረፋ kefel-provider-reports',
      remedy: 'የክፍያዎች Worker የወረፋው ተቀባይ መሆኑንና ማድረሱ አለመቆሙን ያረጋግጡ።',
    },
    payment: {
      title: 'በማንቂያው የተከፈለ የሙከራ ክፍያ',
      remedy: 'በክፍያዎች መዝገብ alarm_failed ይፈልጉ። ያለ ማንቂያ ምንም ክፍያ ጊዜው አያልፍም።',
    },
    event: {
      title: 'የክፍያው ዌብሁክ',
      remedy: 'በመዝገቡ webhook_delivery_broken ይፈልጉ፣ ወረፋ kefel-webhooksን ያረጋግጡ።',
    },
    book: {
      title: 'ክፍያው በነጋዴው መዝገብ',
      remedy: 'የMerchantBook ስህተቶችን በመዝገቡ ይፈልጉ። ዝርዝሮቹ ከጠፉ እንደገና ይገንቧቸው።',
    },
    'back-office-worker': { title: 'የአስተዳደር Worker', remedy: 'አስተዳደሩን ያሰማሩ።' },
    'back-office-bindings': {
      title: 'የአስተዳደሩ ግንኙነቶች (bindings)',
      remedy: 'አስተዳደሩን በwrangler.toml ካሉት ሁሉም ግንኙነቶች ጋር ያሰማሩ።',
    },
    'back-office-configuration': {
      title: 'የአስተዳደሩ ቅንብሮችና ምስጢሮች',
      remedy: 'ቅንብሩን ወይም ምስጢሩን ያስተካክሉና ያሰማሩ።',
    },
    'back-office-database': {
      title: 'የአስተዳደሩ ዳታቤዝ',
      remedy:
        'ማሻሻያዎቹን (migrations) ያስኪዱ፦ npx wrangler d1 migrations apply kefel-back-office --remote --config back-office/wrangler.toml',
    },
    'back-office-daily-run': {
      title: 'የአስተዳደሩ ዕለታዊ ሥራ',
      remedy: 'አስተዳደሩ የcron መርሐ ግብር እንዳለው ያረጋግጡ፣ ስህተቶቹንም በመዝገቡ ይፈልጉ።',
    },
  },

  findings: {
    version: 'ሥሪት {id}',
    bound: 'ሁሉም {count} አሉ።',
    unbound: 'የጎደሉ፦ {names}',
    parsed: 'ሁሉም ትክክል ናቸው።',
    unparsed: '{problem}',
    migrated: 'ሁሉም ማሻሻያዎች ተሠርተዋል፤ የመጨረሻው {newest} ነው።',
    unmigrated: 'ያልተሠሩ፦ {names}',
    failed: '{error}',
    rails: 'በእውነተኛው የተገናኙ፦ {methods}',
    rails_unparsed: 'ያልተስተካከሉ፦ {names}',
    books: '{count} ተጠይቀዋል፤ ክፍያ የጠፋበት የለም።',
    books_lost: 'ክፍያዎች የጠፉባቸው፦ {names}',
    ran: 'መጨረሻ የተጠናቀቀው {at} ነው።',
    overdue: 'በአንድ ቀን ውስጥ አልተጠናቀቀም። የመጨረሻው፦ {at}',
    not_run_yet: 'ገና አልተሠራም። በቀን አንድ ጊዜ ይሠራል።',
    switched_off: 'ተዘግቷል፦ ይህ ጌትዌይ ማከማቻ (bucket) የለውም።',
    answered: 'መልሷል።',
    consumed: 'መልእክት ከ{seconds} ሰ. በኋላ ተቀብሏል።',
    paid: 'ከ{seconds} ሰ. በኋላ ተከፍሏል።',
    event_ended: 'ክስተቱ ተስተናግዷል። ፍተሻ የዌብሁክ አድራሻ ስለሌለው ለማንም ሰርቨር አይላክም።',
    booked: 'መዝገቡ እንደተከፈለ ያሳያል።',
    waiting: 'መልስ በመጠበቅ ላይ።',
    silent: 'በ{seconds} ሰ. ውስጥ አልመለሰም።',
    not_stored: 'የክፍያዎች ዳታቤዝ ስለማይመልስ አልተሞከረም።',
  },
};
