package refresh
import ("testing";"math";"math/rand/v2";"container/heap";"fmt";"os")
type ev struct{at float64; p int}
type evs []ev
func (e evs) Len() int{return len(e)}
func (e evs) Less(i,j int) bool{return e[i].at<e[j].at}
func (e evs) Swap(i,j int){e[i],e[j]=e[j],e[i]}
func (e *evs) Push(x any){*e=append(*e,x.(ev))}
func (e *evs) Pop() any{o:=*e;x:=o[len(o)-1];*e=o[:len(o)-1];return x}
var rates=[]float64{0,.05,.2,1,5,24}
func ideal(n int, f float64) (u,o float64){
	for _,l:=range rates{u+=mf(l,f/float64(n))/6}
	g:=func(l,f float64)float64{return (1-math.Exp(-l/f)*(1+l/f))/l}
	rf:=func(l,mu float64)float64{ if l==0||mu>=1/l{return 0}; lo,hi:=0.,1e9; for range 200{m:=(lo+hi)/2;if g(l,m)>mu{lo=m}else{hi=m}};return lo}
	lo,hi:=0.,20.
	for range 200{mu:=(lo+hi)/2;s:=0.;for _,l:=range rates{s+=float64(n)/6*rf(l,mu)};if s>f{lo=mu}else{hi=mu}}
	for _,l:=range rates{o+=mf(l,rf(l,hi))/6}
	return
}
func mf(l,f float64)float64{if l==0{return 1};if f<=0{return 0};return f/l*(1-math.Exp(-l/f))}
type cfg struct{ alpha, mean float64; mode string; lm bool; mem float64; kappa float64; startRate float64; oracleMu bool; prior string; max float64}
func clamp(x,a,b float64)float64{return math.Max(a,math.Min(b,x))}
func run(c cfg, n int, B, T float64, seed uint64)(fresh,u,o,used float64){
	r:=rand.New(rand.NewPCG(seed,1))
	rate:=make([]float64,n); next:=make([]float64,n); lastch:=make([]float64,n)
	last:=make([]float64,n);bel:=make([]Belief,n);seen:=make([]float64,n); stale:=make([]float64,n)
	exp:=func(l float64)float64{if l==0{return math.Inf(1)};return r.ExpFloat64()/l}
	q:=&evs{}
	for i:=range n{rate[i]=rates[i%6];next[i]=exp(rate[i]);lastch[i]=-60;last[i]=-1;heap.Push(q,ev{0,i});}
	logmu:=math.NaN(); cnt:=0.;nn:=0.;lastRe:=0.;el:=0.5
	fsum:=0.; now:=0.; tok:=0.
	_ = tok
	// prior learning grid
	prior:=Belief{c.alpha,c.alpha/c.mean}
	popX,popT:=0.,0.
	interval:=func(b Belief,lm float64)float64{
		mu:=math.Exp(lm)
		var t float64
		switch c.mode{
		case "uniform": t=mu
		case "point": k:=Known(b.Rate()); t=when(func(t float64)float64{return freshGain(k,t)},math.Sqrt(2*mu/b.Rate()),mu)
		default: t=when(func(t float64)float64{return freshGain(b,t)},math.Sqrt(2*mu/b.Rate()),mu)
		}
		return clamp(t,1e-4,c.max)
	}
	sumFresh:=func(i int,until float64){ if last[i]<0{return}; // fresh from last[i] to min(stale,until)
		fsum+=math.Max(0,math.Min(stale[i],until)-last[i])}
	for q.Len()>0{
		e:=heap.Pop(q).(ev); i:=e.p
		// server with capacity startRate: visits are at least 1/startRate apart
		t:=math.Max(e.at, now+1/c.startRate)
		if t>T{break}
		now=t;cnt++
		// advance changes
		ch:=false
		first:=last[i]<0
		for next[i]<=now{ if !first&&next[i]>last[i]{ch=true}; lastch[i]=next[i]; next[i]+=exp(rate[i])}
		if !first {sumFresh(i,now)}
		b:=Belief{prior.Shape+bel[i].Shape,prior.Time+bel[i].Time}
		iv:=now-last[i]
		if first { if c.lm {b=b.dated(now-lastch[i])} } else {
		if c.mem>0{ f:=1-1/c.mem; bel[i].Shape*=f;bel[i].Time*=f; b=Belief{prior.Shape+bel[i].Shape,prior.Time+bel[i].Time}}
		if !ch {b=b.unchanged(iv); popT+=iv} else if c.lm {b=b.dated(now-lastch[i])} else {b2:=b.changed(iv); popX+=b2.Shape-b.Shape; popT+=b2.Time-b.Time; b=b2}
		}
		if c.prior=="learn" && popX>5 { prior.Time=prior.Shape*popT/popX }
		bel[i]=Belief{math.Max(0,b.Shape-prior.Shape),math.Max(0,b.Time-prior.Time)}
		b=Belief{prior.Shape+bel[i].Shape,prior.Time+bel[i].Time}
		if first { nn++
			if math.IsNaN(logmu){ // interval(b,mu)=1/B
				logmu = math.Log(freshGain(b,1/B)); if c.mode=="uniform"{logmu=math.Log(1/B)}
			} else { f:=1/interval(b,logmu); logmu+=math.Log1p(f/B)/el }
		} else {
			f:=1/interval(b,logmu); f2:=1/interval(b,logmu+.05)
			el+= (clamp(math.Log(f/f2)/.05,.1,3)-el)/nn
			nn+=(clamp(iv*B,0,4*nn)-nn)/nn*0 
			dt:=now-lastRe; if lastRe==0{dt=1/B}; lastRe=now
			logmu+=c.kappa/nn*(math.Min(iv*f,4)-math.Min(B*dt,8))
		}
		if c.oracleMu { logmu=math.Log(oracle(n,B)) }
		last[i]=now;stale[i]=next[i];seen[i]++
		heap.Push(q,ev{now+interval(b,logmu),i})
	}
	for i:=range n{sumFresh(i,T)}
	u,o=ideal(n,cnt/T)
	if os.Getenv("V")!=""{fmt.Println("visits per class:");for k:=range rates{s:=0.;for i:=k;i<n;i+=6{s+=seen[i]};fmt.Printf(" %.3f",s/float64(n/6)/T)};fmt.Println(" mu",math.Exp(logmu))}
	return fsum/(float64(n)*T),u,o,cnt/T/B
}
func oracle(n int,f float64)float64{
	g:=func(l,f float64)float64{return (1-math.Exp(-l/f)*(1+l/f))/l}
	rf:=func(l,mu float64)float64{ if l==0||mu>=1/l{return 0}; lo,hi:=0.,1e9; for range 60{m:=(lo+hi)/2;if g(l,m)>mu{lo=m}else{hi=m}};return lo}
	lo,hi:=0.,20.
	for range 60{mu:=(lo+hi)/2;s:=0.;for _,l:=range rates{s+=float64(n)/6*rf(l,mu)};if s>f{lo=mu}else{hi=mu}}
	return hi}
func TestProto(t *testing.T){
	for _,bpp:=range []float64{0.3,1,3}{ for _,T:=range []float64{30,100}{
		B:=300*bpp
		for _,c:=range []cfg{
			{mode:"uniform",alpha:.3,mean:1,kappa:.5},
			{mode:"point",alpha:.3,mean:1,kappa:.5},
			{mode:"bayes",alpha:.3,mean:1,kappa:.5},
			{mode:"bayes",alpha:.3,mean:10,kappa:.5},
			{mode:"bayes",alpha:.3,mean:.1,kappa:.5},
			{mode:"bayes",alpha:.5,mean:1,kappa:.5},
			{mode:"bayes",alpha:.2,mean:1,kappa:.5},
			{mode:"bayes",alpha:.3,mean:1,kappa:.5,mem:64},
			{mode:"bayes",alpha:.3,mean:1,kappa:.5,prior:"learn"},
			{mode:"bayes",alpha:.3,mean:1,kappa:.5,lm:true},
			{mode:"bayes",alpha:.3,mean:1,kappa:.5,lm:true,mem:64},
			{mode:"point",alpha:.3,mean:1,kappa:.5,lm:true},
		}{ c.max=T/4;c.startRate=20*B
			var f,u,o,us float64; const R=6
			for s:=range uint64(R){a,b,cc,d:=run(c,300,B,T,s);f+=a/R;u+=b/R;o+=cc/R;us+=d/R}
			fmt.Printf("B/page %.1f T %3.0f %-8s a %.1f m %4.1f %-6s lm %-5v mem %2.0f: fresh %.4f uni %.4f opt %.4f ratio %.4f used %.3f\n",bpp,T,c.mode,c.alpha,c.mean,c.prior,c.lm,c.mem,f,u,o,f/o,us)
		}}}
}
