import { announce } from './announce.ts';

/** Tried one after the other until the file is small enough. Pages show logos at 48 px. */
const SIDES_PX = [256, 192, 128, 96] as const;
const QUALITY = 0.9;

/**
 * Fields for a logo: the script shrinks an image that is too large before it sends it, and the
 * field refuses anything that is not an image.
 */
export function logoFields(): void {
  for (const input of document.querySelectorAll<HTMLInputElement>('[data-logo-bytes]')) {
    input.addEventListener('change', () => void choose(input));
  }
}

async function choose(input: HTMLInputElement): Promise<void> {
  const [file] = input.files ?? [];
  const { logoBytes, tooLarge, unreadable, shrunk } = input.dataset;
  refuse(input, '');
  if (file === undefined) {
    return;
  }
  try {
    const logo = await smallEnough(file, Number(logoBytes));
    if (logo === null) {
      refuse(input, tooLarge ?? '');
    } else if (logo !== file) {
      const files = new DataTransfer();
      files.items.add(logo);
      input.files = files.files;
      say(input, shrunk ?? '', 'hint');
    }
  } catch {
    refuse(input, unreadable ?? '');
  }
}

/** The file, or a smaller image of it, or null when it cannot be small enough. */
async function smallEnough(file: File, bytesMax: number): Promise<File | null> {
  const image = await createImageBitmap(file);
  if (file.size <= bytesMax) {
    return file;
  }
  for (const side of SIDES_PX) {
    const scale = Math.min(side / Math.max(image.width, image.height), 1);
    const canvas = document.createElement('canvas');
    canvas.width = Math.max(Math.round(image.width * scale), 1);
    canvas.height = Math.max(Math.round(image.height * scale), 1);
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    // A browser that cannot write WebP writes PNG.
    const blob = await new Promise<Blob | null>((resolve) =>
      canvas.toBlob(resolve, 'image/webp', QUALITY),
    );
    if (blob !== null && blob.size <= bytesMax) {
      return new File([blob], 'logo', { type: blob.type });
    }
  }
  return null;
}

/** The browser then sends no form with this file. */
function refuse(input: HTMLInputElement, problem: string): void {
  input.setCustomValidity(problem);
  input.ariaInvalid = problem === '' ? null : 'true';
  say(input, problem, 'error');
}

/** Below the field, and to screen readers. */
function say(input: HTMLInputElement, text: string, kind: 'error' | 'hint'): void {
  const id = `${input.id}-said`;
  const place = document.getElementById(id) ?? document.createElement('p');
  place.id = id;
  place.className = kind;
  place.textContent = text;
  input.after(place);
  announce(text);
}
