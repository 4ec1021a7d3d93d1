/** Of every creation that worked (docs/decisions.md#11). */
export const SAVED_MESSAGE = 'Payment intent saved successfully';
