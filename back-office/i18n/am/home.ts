import type { HomeMessages } from '../messages.ts';

export const home: HomeMessages = {
  product: 'ክፈል',
  heading: 'በኢትዮጵያ ላሉ ነጋዴዎች የክፍያ ጌትዌይ',
  steps: [
    'የነጋዴው ሰርቨር በአንድ የኤፒአይ ጥሪ ክፍያ ይፈጥራል።',
    'ደንበኛው በክፍያ ገጹ ላይ በtelebirr፣ በCBE Birr፣ በEthSwitch፣ በM\u2011PESA ወይም በeBirr ይከፍላል።',
    'የተፈረመ ዌብሁክ ውጤቱን ለነጋዴው ያሳውቃል።',
  ],
  ways: 'ወዴት ይሄዳሉ?',
  payingTitle: 'መክፈል ይፈልጋሉ?',
  paying: 'ድርጅቱ የላከልዎትን ሊንክ ይጫኑ። እያንዳንዱ ክፍያ የራሱ ገጽ አለው።',
  missingTitle: 'ገጹ አልተገኘም',
  missing: 'በዚህ አድራሻ የመመሪያ ገጽ የለም። የመጀመሪያው ገጽ ሁሉንም ገጾች ይዘረዝራል።',
  dashboard: 'ዳሽቦርድ',
  dashboardNote: 'ለነጋዴዎች፦ ክፍያዎች፣ ዌብሁኮች፣ የኤፒአይ ቁልፎች',
  desk: 'የአስተዳዳሪ ጠረጴዛ',
  deskNote: 'ለአስተዳዳሪው፦ ጤንነት፣ ነጋዴዎች፣ ያልተፈቱ ችግሮች',
  docs: 'ሰነዶች',
  docsNote: 'ኤፒአይ፣ ዌብሁክ፣ አሠራር',
  source: 'ምንጭ ኮድ',
  sourceNote: 'የክፈል ሙሉ ኮድ፣ ስህተት የሚነገርበት ቦታ',
};
