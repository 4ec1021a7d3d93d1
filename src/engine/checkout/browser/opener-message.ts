/** What a checkout page in a popup tells the page that opened it. */
export interface OpenerMessage {
  readonly type: 'kefel';
  /** The customer is on the way back to the merchant. */
  readonly isReturning: boolean;
  /** Where the customer returns to, with the payment's status as a parameter. */
  readonly returnUrl: string;
}
