import type { LogoMediaType } from '../../src/engine/merchants/logo.ts';
import { bytesFromBase64 } from '../../src/kit/crypto/encoding.ts';

/** One green pixel each: the smallest logos that browsers accept. */
export const PIXELS: Readonly<Record<LogoMediaType, Uint8Array<ArrayBuffer>>> = {
  'image/png': bytesFromBase64(
    [
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4AWLizvb+DwAAAP//MDp7cAAAAAZJREFU',
      'AwADEQHDokWvjAAAAABJRU5ErkJggg==',
    ].join(''),
  ),
  'image/webp': bytesFromBase64('UklGRh4AAABXRUJQVlA4TBEAAAAvAAAAAAfQtS50qf+BiOh/AAA='),
  'image/jpeg': bytesFromBase64(
    [
      '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAFA3PEY8MlBGQUZaVVBfeMiCeG5uePWvuZHI////////////////////',
      '////////////////////////////////2wBDAVVaWnhpeOuCguv/////////////////////////////////////',
      '////////////////////////////////////wAARCAABAAEDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAA',
      'AAP/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFQEBAQAAAAAAAAAAAAAAAAAAAAP/xAAUEQEAAAAAAAAAAAAAAAAA',
      'AAAA/9oADAMBAAIRAxEAPwCQAm//2Q==',
    ].join(''),
  ),
};
