import type { AlertWords } from './words.ts';

const many = (count: number, one: string, more: string) => (count === 1 ? one : more);
const of = (details: string) => (details === '' ? '' : `፦ ${details}`);

export const am: AlertWords = {
  kinds: {
    new: (title) => title,
    repeat: (title) => `አሁን ${title}`,
    resolved: (title) => `አብቅቷል፦ ${title}`,
  },
  resolved: 'በዚህ ጉዳይ ከእንግዲህ ሰው የሚፈልግ ነገር የለም።',
  since: (time) => `ከ${time} ጀምሮ`,
  merchants: (ids, others) => `ነጋዴዎች፦ ${ids}${others === 0 ? '' : ` እና ሌሎች ${others}`}`,
  money: 'ገንዘብ',
  todo: 'የሚደረግ',
  guide: 'መመሪያ',
  desk: 'ዴስክ',
  allIsWell: 'ሁሉም ደህና ነው',
  digest: (subjects) => many(subjects, 'ሰው የሚፈልግ 1 ነገር', `ሰው የሚፈልጉ ${subjects} ነገሮች`),
  test: 'የሙከራ መልእክት',
  testText: 'ይህ መንገድ ይሠራል። አስተዳዳሪ ቁልፉን ተጭኗል፤ መልእክቱ ስለ ክፍያዎች ምንም አይናገርም።',
  subjects: {
    unresolved_attempts: {
      title: (count) => many(count, 'ውጤቱ ያልታወቀ 1 ክፍያ', `ውጤታቸው ያልታወቀ ${count} ክፍያዎች`),
      name: 'ውጤታቸው ያልታወቀ ክፍያዎች',
      money: 'ደንበኞች ከፍለው ሊሆን ይችላል። ውጤቱ ሳይታወቅ እንደገና አያስከፍሏቸው።',
      todo: 'እያንዳንዱን ሙከራ አቅራቢው ዘንድ ይፈልጉ፣ ከዚያ ውጤቱን ይመዝግቡ።',
    },
    refunds_by_hand: {
      title: (count) => many(count, 'ሰው የሚፈልግ 1 ተመላሽ', `ሰው የሚፈልጉ ${count} ተመላሾች`),
      name: 'ሰው የሚፈልጉ ተመላሾች',
      money: 'ደንበኞች ገንዘባቸውን እየጠበቁ ነው። ሁለት ጊዜ እንዳይመለስ መጀመሪያ ያጣሩ።',
      todo: 'ገንዘቡን አቅራቢው ዘንድ ይመልሱ፣ ወይም ባልደረባዎ የመዘገበውን ያረጋግጡ።',
    },
    money_conflicts: {
      title: (count) => many(count, 'መረጃው የሚጋጭ 1 ክፍያ', `መረጃቸው የሚጋጭ ${count} ክፍያዎች`),
      name: 'መረጃቸው የሚጋጭ ክፍያዎች',
      money: 'ደንበኛው ሁለት ጊዜ ከፍሎ ወይም ከከፈለው በላይ ተመልሶለት ሊሆን ይችላል፤ ወይም አንድ ደረሰኝ ለሁለት ትዕዛዞች ተቆጥሯል።',
      todo: 'ዕቃ ወይም ገንዘብ ከመሰጠቱ በፊት እያንዳንዱን ከአቅራቢው ጋር ያመሳክሩ።',
    },
    provider_money_missing: {
      title: (count, details) =>
        many(
          count,
          `1 ክፍያ በአቅራቢው ፋይል የለም${of(details)}`,
          `${count} ክፍያዎች በአቅራቢው ፋይል የሉም${of(details)}`,
        ),
      name: 'በአቅራቢዎች ፋይል የሌሉ ክፍያዎች',
      money: 'ክፈል ተከፍለዋል ይላል፤ አቅራቢው ገንዘቡን አልተቀበለም ይሆናል።',
      todo: 'የፋይሉን መስመሮች ይመልከቱ፣ ለነጋዴው ከመክፈልዎ በፊት አቅራቢውን ይጠይቁ።',
    },
    method_failing: {
      title: (count, details) =>
        `ክፍያዎች አይሳኩም${of(details)} (ያለ ስኬት ${count} ${many(count, 'ሙከራ', 'ሙከራዎች')})`,
      name: 'የማይሳኩ ክፍያዎች',
      money: 'ገንዘብ አልጠፋም፤ ነገር ግን ደንበኞች በዚህ ዘዴ መክፈል አይችሉም።',
      todo: 'ዘዴውን ይፈትሹ (rail probe)። አቅራቢው ካልተመለሰ ዘዴውን ያቁሙ።',
    },
    starts_waiting: {
      title: (count, details) =>
        `${many(count, 'ጌትዌዩን የሚጠብቅ 1 የክፍያ ጅማሬ', `ጌትዌዩን የሚጠብቁ ${count} የክፍያ ጅማሬዎች`)}${of(details)}`,
      name: 'የሚጠብቁ የክፍያ ጅማሬዎች',
      money: 'ገንዘብ አልተንቀሳቀሰም። ስልኮች አይጠሩም።',
      todo: 'ምርመራውን (check) ያሂዱ፣ የCloudflareን ሁኔታም ይመልከቱ።',
    },
    messages_waiting: {
      title: (_count, details) => `መልእክቶች በወረፋ ይጠብቃሉ${of(details)}`,
      name: 'የሚጠብቁ መልእክቶች',
      money: 'ምንም አልጠፋም። ነጋዴዎች ዘግይተው ይሰማሉ፤ የተከፈለ ክፍያም ያልተከፈለ ሊመስል ይችላል።',
      todo: 'በዴስኩ የጤና ገጽ ወረፋዎቹን፣ የCloudflareን ሁኔታም ይመልከቱ።',
    },
    dead_letters: {
      title: (count) => many(count, 'ወረፋ መላክ ያቆመበት 1 መልእክት', `ወረፋ መላክ ያቆመባቸው ${count} መልእክቶች`),
      name: 'ወረፋ መላክ ያቆመባቸው መልእክቶች',
      money: 'ሪፖርት (result) ብቸኛው የአቅራቢ ሪፖርት ቅጂ ሊሆን ይችላል፤ የተከፈለ ክፍያም ያልተከፈለ ሊመስል ይችላል።',
      todo: 'ያንብቧቸው፣ እንደገና ይላኳቸው። ሪፖርትን (result) ሳያነቡ በፍጹም አይጣሉ።',
    },
    database_failing: {
      title: (_count, details) => (details.includes('nearly_full') ? 'ዳታቤዙ ሊሞላ ነው' : 'ዳታቤዙ አይመልስም'),
      name: 'የማይሠራው ዳታቤዝ',
      money: 'ክፍያዎች ይቀጥላሉ። ዳታቤዙ ካልመለሰ ወይም ከሞላ ተመላሽ ገንዘብ፣ መግቢያና አዲስ ቅንብሮች አይቻሉም።',
      todo: 'D1ን ይጠብቁ፣ የCloudflareን ሁኔታ ይመልከቱ፤ ሊሞላ ከሆነ አሁኑኑ ቦታ ይፍጠሩ።',
    },
    daily_run_late: {
      title: (_count, details) => `የዕለቱ ሥራ ዘግይቷል${of(details)}`,
      name: 'የዘገየው የዕለቱ ሥራ',
      money: 'አሁን የጠፋ የለም። ጌትዌዩ ቢጠፋ መጠባበቂያ ቅጂ የሌላቸውን ክፍያዎች የሚያውቁት አቅራቢዎች ብቻ ናቸው።',
      todo: 'ምርመራውን (check) ያሂዱ፤ ምን እንዳቆመው ይናገራል።',
    },
    keys_ending: {
      title: (count, details) =>
        `${many(count, 'በቅርቡ የሚያበቃ 1 ቁልፍ', `በቅርቡ የሚያበቁ ${count} ቁልፎች`)}${of(details)}`,
      name: 'ሊያበቁ የተቃረቡ ቁልፎች',
      money: 'አሁን የጠፋ የለም። ከቀኑ በኋላ አቅራቢው የጌትዌዩን ጥሪ አይቀበልም።',
      todo: 'ከቀኑ በፊት ቀጣዩን ቁልፍ ይጠይቁ ወይም ይቀይሩ፣ ያስገቡትም።',
    },
    self_check_failed: {
      title: (count, details) =>
        `ምርመራው ${many(count, '1 የተበላሸ ክፍል', `${count} የተበላሹ ክፍሎች`)} አግኝቷል${of(details)}`,
      name: 'ያልተሳካው ምርመራ',
      money: 'እንደ ክፍሉ ይለያያል።',
      todo: 'ምርመራውን (check) እንደገና ያሂዱ፤ ለእያንዳንዱ ክፍል ምን እንደሚደረግ ይናገራል።',
    },
    sign_ins_refused: {
      title: (count) =>
        `${many(count, 'ተቀባይነት ያላገኘ 1 የመግቢያ ሙከራ', `ተቀባይነት ያላገኙ ${count} የመግቢያ ሙከራዎች`)}፣ ከተለመደው በጣም የበዙ`,
      name: 'ተቀባይነት ያላገኙ የመግቢያ ሙከራዎች',
      money: 'ገንዘብ አልተንቀሳቀሰም። አንድ ፕሮግራም እየገመተ ሊሆን ይችላል።',
      todo: 'በኦዲት መዝገቡ የማያውቋቸውን መግቢያዎች ይፈልጉ።',
    },
  },
};
