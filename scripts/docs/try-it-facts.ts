/** What the form of an operation is made of. */
export interface TryIt {
  method: string;
  /** With the names of its values in braces. */
  address: string;
  path: Field[];
  query: Field[];
  /** JSON: the input of an ability that stands in the query, or a body. */
  input: string | null;
  body: string | null;
  form: (Field & { isFile: boolean })[];
}

export interface Field {
  name: string;
  value: string;
  isRequired: boolean;
}
