/** Of every creation that worked (decision 11). */
export const SAVED_MESSAGE = 'Payment intent saved successfully';
