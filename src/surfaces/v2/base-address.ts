export interface BaseAddress {
  base: string;
}
