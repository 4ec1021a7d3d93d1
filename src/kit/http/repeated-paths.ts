import { repeatedNames } from '../platform/repeated-names.ts';
import { pathText } from './fields.ts';

/** The most names that one answer reports. */
const REPEATED_MAX = 20;
/** Kefel has no deeper fields and no longer names, so answers shorten such paths. */
const DEPTH_SHOWN = 8;
const NAME_CHARACTERS_SHOWN = 60;

/** The paths of the fields that one object of a valid JSON text names more than once. */
export function repeatedPaths(text: string): readonly string[] {
  const paths = new Set<string>();
  for (const levels of repeatedNames(text)) {
    const steps = levels
      .slice(0, DEPTH_SHOWN)
      .map(({ names, at }) => (names === null ? at : String(at).slice(0, NAME_CHARACTERS_SHOWN)));
    paths.add(pathText(steps) + (levels.length > DEPTH_SHOWN ? '…' : ''));
    if (paths.size === REPEATED_MAX) {
      break;
    }
  }
  return [...paths];
}
