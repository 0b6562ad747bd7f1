/** Returns bytes as gibibytes with one digit. */
export function gigabytes(bytes: number): string {
  return `${(bytes / 1024 ** 3).toFixed(1)} GiB`
}

/** Returns bytes as whole mebibytes. */
export function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1024 ** 2)} MiB`
}
