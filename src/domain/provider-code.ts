/** Longest code or state of a provider that is kept; the longest documented one has some 30. */
export const PROVIDER_CODE_LENGTH_MAX = 64;

/** Codes and states look like this. A provider's prose might hold a name or a secret. */
const PRINTABLE_CODE = new RegExp(`^[A-Za-z0-9_. -]{1,${PROVIDER_CODE_LENGTH_MAX}}$`);

/** An Ethiopian phone number, alone or at the end of an id: some providers make their ids of it. */
const PHONE_NUMBER = /[79]\d{8}(?!\d)/;

/** What may stand between a phone number's digits. */
const SEPARATORS = /[_. -]/g;

/** What a provider said, if it is codes or states and cannot identify a person; else null. */
export function printableCode(providerCode: string | null | undefined): string | null {
  const isFit =
    providerCode != null &&
    PRINTABLE_CODE.test(providerCode) &&
    !PHONE_NUMBER.test(providerCode.replace(SEPARATORS, ''));
  return isFit ? providerCode : null;
}
