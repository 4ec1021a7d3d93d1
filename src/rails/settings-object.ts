import * as v from 'valibot';

/** A JSON object with these settings and no others. Its own messages quote no value: it is a secret. */
export function settingsObject<const Entries extends v.ObjectEntries>(entries: Entries) {
  return v.strictObject(entries, problemOfKey);
}

function problemOfKey({ expected }: v.StrictObjectIssue): string {
  switch (expected) {
    case 'never':
      return 'is not a setting of this rail';
    case 'Object':
      return 'must be a JSON object';
    default:
      return 'is missing';
  }
}
