// Lets a thread run the source directly: `--import tsx` affects only the first thread of a process.
import { register } from 'tsx/esm/api'

register()
