export interface TryIt {
  method: string;
  /** Path with parameters in braces. */
  address: string;
  path: FormField[];
  query: FormField[];
  /** JSON of the `input` query parameter of an ability. */
  input: string | null;
  body: string | null;
  form: (FormField & { isFile: boolean })[];
}

export interface FormField {
  name: string;
  value: string;
  isRequired: boolean;
}
