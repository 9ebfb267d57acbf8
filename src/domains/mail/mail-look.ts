import { LIGHT_BACKGROUND, readableColorOn, TEXT_COLOR, textColorOn } from '../../shared/color-contrast.ts';
import { normalizeColor } from '../../shared/color.ts';
import { pictureSizeOf } from '../settings/index.ts';
import type { MailBranding } from './mail-message.ts';

interface Logo {
  url: string;
  width: number;
  height: number;
}

export interface MailLook {
  link: string;
  linkOnDark: string;
  /** CSS declarations of badges. Empty in mails with the look of this product, which have a color for each badge. */
  badge: string;
  badgeOnDark: string;
  /** Header with the name and logo of the agency. Null in mails with the look of this product. */
  band: { color: string; onColor: string; name: string; logo: Logo | null } | null;
}

const DARK_SHEET = '#1a2027';
const BADGE_GROUND = { light: '#e9edf1', dark: '#2a333d' } as const;
const LOGO_BOX = { width: 216, height: 48 } as const;

const PRODUCT_LOOK: MailLook = {
  link: '#1a5fb4',
  linkOnDark: '#8ab8ff',
  badge: '',
  badgeOnDark: '#e8edf2',
  band: null,
};

export function lookOf(branding: MailBranding | undefined): MailLook {
  if (!branding) return PRODUCT_LOOK;
  const color = normalizeColor(branding.color) ?? TEXT_COLOR;
  const accent = normalizeColor(branding.accentColor) ?? color;
  return {
    link: readableColorOn(accent, LIGHT_BACKGROUND),
    linkOnDark: readableColorOn(accent, DARK_SHEET),
    badge: `background-color:${BADGE_GROUND.light};color:${readableColorOn(accent, BADGE_GROUND.light)}`,
    badgeOnDark: readableColorOn(accent, BADGE_GROUND.dark),
    band: { color, onColor: textColorOn(color), name: branding.name.trim(), logo: logoOf(branding.logo) },
  };
}

/** Returns the logo with a size that fits the mail, because some mail programs ignore a maximum size in CSS. */
function logoOf(url: string): Logo | null {
  const size = pictureSizeOf(url);
  if (!size) return null;
  const { width, height } = size;
  const scale = Math.min(1, LOGO_BOX.width / width, LOGO_BOX.height / height);
  return { url, width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}
