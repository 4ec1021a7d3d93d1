/** The longest stored code or state. The longest documented one has about 30 characters. */
export const PROVIDER_CODE_LENGTH_MAX = 64;

/**
 * The form of codes and states. Other text is not stored, since it may contain a name or a secret.
 */
const PRINTABLE_CODE = new RegExp(`^[A-Za-z0-9_. -]{1,${PROVIDER_CODE_LENGTH_MAX}}$`);

/** An Ethiopian phone number, alone or at the end of an id, where some providers put it. */
const PHONE_NUMBER = /[79]\d{8}(?!\d)/;

/** Separators between a phone number's digits. */
const SEPARATORS = /[_. -]/g;

/** The provider's code or state, or null if it may identify a person or is not a code. */
export function printableCode(providerCode: string | null | undefined): string | null {
  const isFit =
    providerCode != null &&
    PRINTABLE_CODE.test(providerCode) &&
    !PHONE_NUMBER.test(providerCode.replace(SEPARATORS, ''));
  return isFit ? providerCode : null;
}
