// Whether deleting a rule also ends its connections.
class DropOption {
  isOn = $state(false)
}

export const dropOption = new DropOption()
