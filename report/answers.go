package report

// Answers counts answers by the class of their status.
type Answers struct {
	OK           int `json:"2xx"`
	Redirects    int `json:"3xx"`
	ClientErrors int `json:"4xx"` // Throttled included
	ServerErrors int `json:"5xx"` // Throttled included
	Other        int `json:"other"`
	Failed       int `json:"failed"`    // no answer came
	Throttled    int `json:"throttled"` // 429 and 503
}

func (a *Answers) add(o *Answers) {
	a.OK += o.OK
	a.Redirects += o.Redirects
	a.ClientErrors += o.ClientErrors
	a.ServerErrors += o.ServerErrors
	a.Other += o.Other
	a.Failed += o.Failed
	a.Throttled += o.Throttled
}

func (a *Answers) count(status int) {
	switch status / 100 {
	case 2:
		a.OK++
	case 3:
		a.Redirects++
	case 4:
		a.ClientErrors++
	case 5:
		a.ServerErrors++
	default:
		if status == 0 {
			a.Failed++
		} else {
			a.Other++
		}
	}
	if status == 429 || status == 503 {
		a.Throttled++
	}
}
