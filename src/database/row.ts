/** A row as returned by the connections: JSON, numbers with a decimal point and times stay the text that the database sent. */
export type Row = Record<string, string | number | boolean | null | readonly string[]>
