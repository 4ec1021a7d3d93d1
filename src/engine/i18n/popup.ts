/** What `/kefel.js` shows on a merchant's page while the checkout is open in a popup, by language. */
export const POPUP_TEXTS = {
  en: { isOpen: 'Your payment is open in another window.', show: 'Show it', cancel: 'Cancel' },
  am: { isOpen: 'ክፍያዎ በሌላ መስኮት ላይ ነው።', show: 'መስኮቱን ያሳዩ', cancel: 'ይሰርዙ' },
  om: {
    isOpen: 'Kaffaltiin keessan foddaa biraa keessa jira.',
    show: 'Agarsiisaa',
    cancel: 'Haqaa',
  },
  ti: { isOpen: 'ክፍሊትኩም ኣብ ካልእ መስኮት ኣሎ።', show: 'ኣርእዩ', cancel: 'ሰርዙ' },
} as const;
