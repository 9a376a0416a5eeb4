// Whether deleting a rule also ends its connections.
class DropOption {
  isOn = $state(false)
  rule = $state(0)
}

export const dropOption = new DropOption()
