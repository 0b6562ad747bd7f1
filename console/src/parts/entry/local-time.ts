const twoDigits = (n: number) => String(n).padStart(2, '0')

/**
 * Returns a time in the format of `<input type="datetime-local">`, in the browser's time zone.
 * @param iso UTC
 */
export function toLocalInput(iso: string): string {
  const time = new Date(iso)
  if (Number.isNaN(time.getTime())) return ''
  const day = `${String(time.getFullYear()).padStart(4, '0')}-${twoDigits(time.getMonth() + 1)}-${twoDigits(time.getDate())}`
  const clock = `${twoDigits(time.getHours())}:${twoDigits(time.getMinutes())}:${twoDigits(time.getSeconds())}`
  const rest = time.getMilliseconds()
  return `${day}T${clock}${rest === 0 ? '' : `.${String(rest).padStart(3, '0')}`}`
}
