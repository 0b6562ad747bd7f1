/** A row as the connections give it: JSON, numbers with a point and times stay the text that the database sent. */
export type Row = Record<string, string | number | boolean | null | readonly string[]>
