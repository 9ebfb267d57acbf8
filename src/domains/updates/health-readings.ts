export type ProbeName = 'home_page' | 'admin_ajax' | 'signed_stats' | 'pages' | 'admin_visit';

export interface PageState {
  path: string;
  status: number;
  length: number;
  hasCriticalError: boolean;
  isTemporary?: boolean;
}

/** Stored with runs and with broken sites. A status of 0 means no response. */
export interface ProbeReading {
  status: number;
  /** True if the response has the content that WordPress sends at this address. */
  isFromWordPress: boolean;
  /** Pages that the probe has requested. The home page is the first. */
  pages?: readonly PageState[];
  /** True if the response says only that the site is busy or in maintenance, so that it proves nothing. */
  isTemporary?: boolean;
}

export type HealthReadings = Partial<Record<ProbeName, ProbeReading>>;

/** Start of a health watch. It is stored with the run, so that a later attempt compares with the same readings. */
export interface WatchStart {
  /**
   * True if the site is checked after each update and every change for the worse counts. False if the site is checked
   * once after the run and only a fatal error counts.
   */
  isThorough: boolean;
  before: HealthReadings;
  /**
   * True if the old versions are restored on a broken site. This needs proof: a site that cannot be reached or is in
   * maintenance mode then does not count as broken.
   */
  isGuarded?: boolean;
}

export const ANSWERED: ProbeReading = { status: 200, isFromWordPress: true };
