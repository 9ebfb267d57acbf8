import { disableTypes, imageSize, types } from 'image-size';

const DATA_URL = /^data:image\/(png|jpeg|webp);base64,([A-Za-z0-9+/]+={0,2})$/;
/** Image formats by their name in a data URL. The image library calls JPEG `jpg`. */
const FORMATS: Readonly<Record<string, string>> = { png: 'png', jpeg: 'jpg', webp: 'webp' };
disableTypes(types.filter((type) => !Object.values(FORMATS).includes(type)));

const MAX_BYTES = 100 * 1024;
/** Maximum width and height. A small compressed file can contain gigabytes of pixels. */
const MAX_PIXELS_A_SIDE = 4000;

export const PICTURE_RULE =
  'must be an image of at most 100 KB and 4000 pixels per side whose content matches its type';

export const isAcceptedPicture = (dataUrl: string): boolean => pictureSizeOf(dataUrl) !== null;

export function pictureSizeOf(dataUrl: string): { width: number; height: number } | null {
  const [, type = '', encoded = ''] = DATA_URL.exec(dataUrl) ?? [];
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.length === 0 || bytes.length > MAX_BYTES) return null;
  try {
    const { type: format, width, height } = imageSize(bytes);
    const isAllowed = format === FORMATS[type] && isAllowedSideLength(width) && isAllowedSideLength(height);
    return isAllowed ? { width, height } : null;
  } catch {
    return null;
  }
}

const isAllowedSideLength = (pixels: number): boolean => pixels >= 1 && pixels <= MAX_PIXELS_A_SIDE;
