/** Exit code of a usage error, by convention. A service manager does not restart the server after it. */
export const USAGE_ERROR = 2
