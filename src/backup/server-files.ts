/** Files of the data directory that the server needs besides the database and the bytes of files. */
export const SERVER_FILES = ['admin-token', 'postgres-password'] as const
