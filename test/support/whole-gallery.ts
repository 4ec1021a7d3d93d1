import { BACK_OFFICE_GALLERY } from './back-office-gallery.tsx';
import { GALLERY, startGallery } from './gallery.ts';

/** The galleries of the tests as one. */
export function startWholeGallery(port: number) {
  return startGallery({ ...GALLERY, ...BACK_OFFICE_GALLERY }, port);
}
