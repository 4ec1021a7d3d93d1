import { words } from '../../dashboard/words.ts';

/** Of everything that needs a human: what it is, and what to do about it. */
export const attentionWords = words(
  {
    dead_settle: {
      what: 'A rail has said something about this payment, and its object could not be told.',
      todo: 'Send the dead letter again; it may be the only copy. Discard it never, unless the payment shows what it says.',
    },
    dead_message: {
      what: 'A message was given up by its queue. What it is about goes on by itself.',
      todo: 'Find out what was out of order at that time, then send it again or discard it.',
    },
    unresolved_attempt: {
      what: 'The time of an attempt has passed, and nobody knows whether the customer has paid.',
      todo: 'Look it up at the provider by its reference, then settle it by hand.',
    },
    anomaly: {
      what: 'The payment was made twice, or was called failed after it was paid, or a callback was refused.',
      todo: 'Open the payment, compare with the provider, refund what was paid twice, then mark it as reviewed.',
    },
    late_payment: {
      what: 'The customer has paid after the merchant was told that the payment had ended.',
      todo: 'Make sure that the merchant ships or refunds, then mark it as reviewed.',
    },
    delivery_dead: {
      what: 'The merchant has not taken this event, and it is not tried again by itself.',
      todo: 'Tell the merchant, who can send it again from the dashboard.',
    },
    delivery_paused: {
      what: "The merchant's endpoint has only failed for days and is paused.",
      todo: 'Tell the merchant to mend it and to resume it in the dashboard.',
    },
    delivery_undeliverable: {
      what: 'The event has nowhere to go: neither the payment nor the merchant names an address.',
      todo: 'Tell the merchant to set a webhook URL in the dashboard, then to send it again.',
    },
  },
  {
    dead_settle: {
      what: 'የክፍያ አቅራቢው ስለዚህ ክፍያ መልስ ሰጥቷል፤ ነገር ግን ክፍያው ሊነገረው አልተቻለም።',
      todo: 'መልእክቱን እንደገና ይላኩ፤ ያለው ብቸኛ ቅጂ ሊሆን ይችላል። ክፍያው የሚለውን ካላሳየ በስተቀር በፍጹም አይጣሉት።',
    },
    dead_message: {
      what: 'ወረፋው መልእክቱን መላክ አቁሟል። የሚመለከተው ሥራ በራሱ ይቀጥላል።',
      todo: 'በዚያን ጊዜ ምን እንደተበላሸ ይወቁ፣ ከዚያ እንደገና ይላኩት ወይም ይጣሉት።',
    },
    unresolved_attempt: {
      what: 'የሙከራው ጊዜ አልፏል፤ ደንበኛው መክፈሉን ማንም አያውቅም።',
      todo: 'በማመሳከሪያ ቁጥሩ አቅራቢው ዘንድ ይፈልጉት፣ ከዚያ ውጤቱን በእጅ ይመዝግቡ።',
    },
    anomaly: {
      what: 'ክፍያው ሁለት ጊዜ ተከፍሏል፣ ወይም ከተከፈለ በኋላ አልተሳካም ተብሏል፣ ወይም የአቅራቢ መልእክት ተቀባይነት አላገኘም።',
      todo: 'ክፍያውን ይክፈቱ፣ ከአቅራቢው ጋር ያመሳክሩ፣ በድጋሚ የተከፈለውን ይመልሱ፣ ከዚያ እንደታየ ምልክት ያድርጉ።',
    },
    late_payment: {
      what: 'ነጋዴው ክፍያው አብቅቷል ከተባለ በኋላ ደንበኛው ከፍሏል።',
      todo: 'ነጋዴው ዕቃውን እንዲልክ ወይም ገንዘቡን እንዲመልስ ያረጋግጡ፣ ከዚያ እንደታየ ምልክት ያድርጉ።',
    },
    delivery_dead: {
      what: 'ነጋዴው ይህን ክስተት አልተቀበለም፤ ከእንግዲህ በራሱ እንደገና አይሞከርም።',
      todo: 'ለነጋዴው ይንገሩ፤ ከዳሽቦርዱ እንደገና ሊልከው ይችላል።',
    },
    delivery_paused: {
      what: 'የነጋዴው መቀበያ ለቀናት ሳይሠራ ስለቆየ መላክ ቆሟል።',
      todo: 'ነጋዴው እንዲያስተካክለውና በዳሽቦርዱ እንዲያስቀጥለው ይንገሩ።',
    },
    delivery_undeliverable: {
      what: 'ክስተቱ የሚላክበት አድራሻ የለውም፤ ክፍያውም ነጋዴውም አድራሻ አልሰጡም።',
      todo: 'ነጋዴው በዳሽቦርዱ የዌብሁክ አድራሻ እንዲያስገባ፣ ከዚያም እንደገና እንዲልክ ይንገሩ።',
    },
  },
);
