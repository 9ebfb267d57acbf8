export const GUARD_FILE_FOLDER = 'wp-content/mu-plugins';

const NAME = /^sitefleet-guard-([0-9a-f]{32})\.php$/;

export const guardFileName = (guardId: string): string => `sitefleet-guard-${guardId}.php`;

export const guardIdIn = (name: string): string | null => NAME.exec(name)?.[1] ?? null;
