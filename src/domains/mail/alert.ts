/** The site that an alert is about, as a mail names it. */
export interface AlertedSite {
  id: number;
  url: string;
  name: string;
}

/** What each sort of alert tells, by the name that its mail has in the settings. Times are milliseconds since 1970. */
export interface AlertFacts {
  /** A monitor went down or came back. */
  uptime: {
    state: 'down' | 'up';
    incidentId: string;
    startedAt: number;
    /** Null while it lasts. */
    endedAt: number | null;
    /** Why, in one sentence. */
    cause: string;
    httpStatus: number;
  };
  /** The health of a site fell below the threshold. */
  site_health: { score: number; threshold: number };
  /** A home page that answered before an update answers no more. */
  http_check: {
    statusBefore: number;
    /** 0 stands for no answer. */
    statusAfter: number;
    updates: readonly { type: string; slug: string; name: string; fromVersion: string; toVersion: string }[];
    jobId: string | null;
  };
  /** A cost falls due, soon or by now. */
  cost_tracker_noti_email: {
    costId: number;
    name: string;
    /** `2026-11-21` */
    dueOn: string;
    /** In minor units of the currency. */
    priceMinor: number;
    frequency: string;
  };
}

export type AlertType = keyof AlertFacts;

/** Something that people are told about. */
export interface Alert<Type extends AlertType = AlertType> {
  type: Type;
  /** Names what has happened: however often it is raised, and by however many processes, one mail tells of it. */
  key: string;
  /** Null for what is about no site, or about several. */
  site: AlertedSite | null;
  facts: AlertFacts[Type];
}
