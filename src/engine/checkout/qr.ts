import { encode, renderSVG } from 'uqr';

/** White modules around the code, as ISO/IEC 18004 requires. */
const QUIET_ZONE_MODULES = 4;

/** An address as a code, in SVG. A file of its own, so that the bundle has only this of the package. */
export function qrCode(url: string): string {
  return renderSVG(url, { border: QUIET_ZONE_MODULES, ecc: 'L' });
}

/** The modules of a code to print, true for black, with the white ones around it. */
export function qrModules(text: string): readonly (readonly boolean[])[] {
  return encode(text, { border: QUIET_ZONE_MODULES, ecc: 'M' }).data;
}
