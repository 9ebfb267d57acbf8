/** What the form of an operation is made of. */
export interface TryIt {
  method: string;
  /** With the names of its values in braces. */
  address: string;
  path: FormField[];
  query: FormField[];
  /** JSON: the input of an ability that stands in the query, or a body. */
  input: string | null;
  body: string | null;
  form: (FormField & { isFile: boolean })[];
}

export interface FormField {
  name: string;
  value: string;
  isRequired: boolean;
}
