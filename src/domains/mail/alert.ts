import type { AlertFacts, AlertType, SitelessAlertType } from './alert-types.ts';

export interface AlertedSite {
  id: number;
  url: string;
  name: string;
}

export interface Alert<Type extends AlertType = AlertType> {
  type: Type;
  /** Identifies the event. An alert that is raised repeatedly, even by several processes, is part of only one mail. */
  key: string;
  site: Type extends SitelessAlertType ? null : AlertedSite;
  facts: AlertFacts[Type];
}
