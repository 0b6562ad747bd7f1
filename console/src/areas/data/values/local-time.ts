const TWO = (n: number) => String(n).padStart(2, '0')

/** A time as `<input type="datetime-local">` has it: in the zone of the browser. @param iso UTC */
export function toLocalInput(iso: string): string {
  const time = new Date(iso)
  if (Number.isNaN(time.getTime())) return ''
  const day = `${String(time.getFullYear()).padStart(4, '0')}-${TWO(time.getMonth() + 1)}-${TWO(time.getDate())}`
  const clock = `${TWO(time.getHours())}:${TWO(time.getMinutes())}:${TWO(time.getSeconds())}`
  const rest = time.getMilliseconds()
  return `${day}T${clock}${rest === 0 ? '' : `.${String(rest).padStart(3, '0')}`}`
}

/** The same back, as a Date of the wire; undefined when it is no time. */
export function fromLocalInput(text: string): { __type: 'Date'; iso: string } | undefined {
  const time = new Date(text)
  return text === '' || Number.isNaN(time.getTime()) ? undefined : { __type: 'Date', iso: time.toISOString() }
}
