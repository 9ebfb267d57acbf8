/** Calculates colors that are readable beside any brand color of an agency. Contrasts are those of WCAG 2. */

type Rgb = readonly [number, number, number];

export const TEXT_COLOR = '#17202a';
const BLACK = '#000000';
export const LIGHT_BACKGROUND = '#ffffff';
export const DARK_BACKGROUND = '#171d24';
const READABLE = 4.5;
const STEP = 0.04;

/**
 * Returns the most readable text color. Black is for medium colors, on which `LIGHT_BACKGROUND` and `TEXT_COLOR` have
 * too little contrast.
 */
export function textColorOn(color: string): string {
  const [onLight, onDark] = [contrast(color, LIGHT_BACKGROUND), contrast(color, TEXT_COLOR)];
  if (Math.max(onLight, onDark) < READABLE) return BLACK;
  return onLight >= onDark ? LIGHT_BACKGROUND : TEXT_COLOR;
}

export function readableColorOn(color: string, ground: string): string {
  const far = hexToRgb(luminance(hexToRgb(ground)) > 0.5 ? TEXT_COLOR : LIGHT_BACKGROUND);
  for (let share = 0; share < 1; share += STEP) {
    const mixed = mix(hexToRgb(color), far, share);
    if (contrast(mixed, ground) >= READABLE) return mixed;
  }
  return rgbToHex(far);
}

export function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(hexToRgb(one)), luminance(hexToRgb(other))].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

const hexToRgb = (color: string): Rgb => {
  const [red = 0, green = 0, blue = 0] = (color.slice(1).match(/../g) ?? []).map((pair) => parseInt(pair, 16));
  return [red, green, blue];
};

const rgbToHex = (rgb: Rgb): string => `#${rgb.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;

const mix = (from: Rgb, to: Rgb, share: number): string => {
  const part = (at: 0 | 1 | 2): number => from[at] + (to[at] - from[at]) * share;
  return rgbToHex([part(0), part(1), part(2)]);
};

function luminance(rgb: Rgb): number {
  const [red = 0, green = 0, blue = 0] = rgb.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
