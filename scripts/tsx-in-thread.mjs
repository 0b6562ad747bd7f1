// Lets a thread run the source itself: with `--import tsx` only the first thread of a process would.
import { register } from 'tsx/esm/api'

register()
