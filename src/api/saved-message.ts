/** The message of every successful creation (docs/decisions.md#11). */
export const SAVED_MESSAGE = 'Payment intent saved successfully';
